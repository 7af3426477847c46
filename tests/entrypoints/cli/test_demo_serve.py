"""`llm-output demo --serve`: three made-up days, really parsed, the same every time, and served until Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli import demo_service
from src.entrypoints.cli.commands import demo as demo_command
from src.entrypoints.cli.demo_service import DAYS, MODELS, TROUBLED, fill
from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.monitoring.container import alarm_store, read_rates
from src.modules.monitoring.domain.alarm import AlarmKind
from src.modules.monitoring.domain.rate import DAY, SECOND, Rate, RateQuery, Window, now
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke
from tests.processes import ending

UNTIL = now()
ALL_DAYS = RateQuery(Window(None, DAYS * 86_400), until=UNTIL)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('demo')}/outcomes.db"
    assert fill(url, UNTIL) == 1_200
    return url


def by_agent(url: str) -> list[Rate]:
    return list(read_rates(url).by_agent(RateQuery(Window(None, 10 * 86_400))))


def test_every_agent_and_both_models_have_texts_over_all_days(filled: str) -> None:
    rates = read_rates(filled)
    assert {rate.name for rate in by_agent(filled)} == {agent.output.label for agent in AGENTS.values()}
    assert {rate.name for rate in rates.by_model()} == set(MODELS)
    facts = rates.facts()
    assert facts.oldest is not None
    assert facts.newest is not None
    assert UNTIL - facts.newest <= 2 * SECOND
    assert facts.newest - facts.oldest > (DAYS - 0.1) * DAY


def test_there_is_damage_of_all_kinds(filled: str) -> None:
    rates = read_rates(filled)
    assert {share.name for share in rates.by_stage(ALL_DAYS)} == {
        "empty",
        "extract",
        "think",
        "repair",
        "validate",
    }
    kinds = {share.name for share in rates.by_kind(ALL_DAYS)}
    assert kinds > {
        "trailing_comma",
        "missing_comma",
        "doubled_comma",
        "comment",
        "smart_quote",
        "full_width_punctuation",
    }
    total = rates.total(ALL_DAYS)
    assert total.texts.re_asked > 0
    assert 0 < total.texts.model_repaired <= total.texts.asked


def test_incident_is_a_warning_an_alarm_and_a_recovery(filled: str) -> None:
    label = AGENTS[TROUBLED].output.label
    events = [event for event in reversed(alarm_store(filled).events(100)) if event.name == label]
    assert [event.kind for event in events] == [AlarmKind.WARNING, AlarmKind.ALARM, AlarmKind.RECOVERY]
    assert all(UNTIL - DAYS * DAY < event.at < UNTIL for event in events)
    assert not alarm_store(filled).alarms()


@contextmanager
def demo(*options: str, **changes: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and its address, once it serves."""
    command = [*PROGRAM, "demo", "--serve", "--port", "0", *options]
    started = subprocess.Popen(command, cwd=ROOT, env=environment(**changes), stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own program
    with ending(started) as process:
        assert process.stdout
        address = next(line for line in process.stdout if "http://" in line).split()[-1]
        try:
            yield process, address
        finally:
            process.kill()


@pytest.mark.usefixtures("ignored_sigint")
def test_store_is_filled_the_same_way_served_and_kept(filled: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    with demo("--store", url, LLM_OUTPUT_LANG="en") as (process, address):
        with urllib.request.urlopen(f"{address}/readyz") as answer:  # noqa: S310 - loopback
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert [(rate.name, rate.texts) for rate in by_agent(url)] == [(rate.name, rate.texts) for rate in by_agent(filled)]


def test_store_of_its_own_is_removed_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(demo_service, "fill", lambda url, _: seen.append(url))
    monkeypatch.setattr(demo_command, "service", lambda **given: lambda: seen.append(given["store_url"]))
    demo_command.demo(serve=True, store=None, port=0)
    assert seen == [seen[0]] * 2
    assert str(tmp_path) in seen[0]
    assert list(tmp_path.iterdir()) == []


def test_store_that_holds_outcomes_is_left_alone(filled: str) -> None:
    before = by_agent(filled)
    ended = invoke("demo", "--serve", "--port", "0", "--store", filled)
    assert (ended.code, "holds outcomes already" in ended.stderr) == (ExitCode.USAGE, True)
    assert by_agent(filled) == before


@pytest.mark.parametrize("option", [("--store", "sqlite:///a.db"), ("--port", "0")])
def test_options_of_the_page_need_the_page(option: tuple[str, str]) -> None:
    assert invoke("demo", *option).code == ExitCode.USAGE
