"""`llm-output rates`, `alarms` and `store upgrade`."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.rate import SECOND, now
from src.modules.monitoring.infrastructure.store import connection
from src.modules.monitoring.infrastructure.store.connection import Store
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke
from tests.modules.monitoring.receiver import receiver
from tests.modules.monitoring.stored import START, fill, made, needing
from tests.modules.monitoring.waiting import until


@pytest.fixture(autouse=True)
def _no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OUTPUT_STORE_URL", "OUTPUT_WEBHOOK_URL", "OUTPUT_WEBHOOK_SECRET"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'outcomes.db'}"


@pytest.fixture
def filled(url: str) -> str:
    outcomes, later = made(300), START - now() + 3_600 * SECOND
    for one in outcomes:
        one.at -= later
    fill(url, outcomes)
    return url


def crossed(url: str, rate: float) -> str:
    """A store with 200 texts of now, so many of which needed the repair agent."""
    fill(url, [*needing(rate, 200, now() - SECOND)])
    return url


def test_rates_as_json_are_those_of_the_store(filled: str) -> None:
    """What they look like, and by what they may be taken, is in the transcripts of the store."""
    shown = json.loads(invoke("rates", "--store", filled, "--by", "model", "--json").stdout)
    assert [(one["name"], one["asked"]) for one in shown["rates"]] == [
        (rate.name, rate.texts.asked) for rate in read_rates(filled).by_model()
    ]


def test_dropped_outcomes_are_told(filled: str) -> None:
    with Store(filled).writing() as connected:
        connected.exec_driver_sql("UPDATE llm_writer SET dropped = 12")
    assert "12 outcomes were dropped" in invoke("rates", "--store", filled).stderr


def test_name_cannot_reach_the_terminal(url: str) -> None:
    outcomes = made(1)
    outcomes[0].agent = "\x1b[31mred\x1b[0m"
    fill(url, outcomes)
    assert "\x1b" not in invoke("rates", "--store", url).stdout


WRONG = [
    (("alarms", "--store", "sqlite:///none.db"), "there is none"),
    (("rates", "--store", "sqlite:///README.md"), "not a database"),
    (("alarms", "--store", "sqlite:///x.db", "--webhook", "ftp://x"), "OUTPUT_WEBHOOK_URL"),
    (("store", "upgrade", "--store", "sqlite:////nowhere/at/all.db"), "it cannot be used"),
    (("rates", "--store", "postgresql://a:hidden@127.0.0.1:1/b"), "a:***@127.0.0.1"),
]
"""What else is wrong is in the transcripts."""


@pytest.mark.parametrize(("arguments", "told"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_what_cannot_be_used_is_told_in_one_line(arguments: tuple[str, ...], told: str) -> None:
    ended = invoke(*arguments)
    assert (ended.code, ended.stdout, len(ended.stderr.splitlines())) == (ExitCode.USAGE, "", 1)
    assert told in ended.stderr
    assert "hidden" not in ended.stderr


def test_locked_store_is_told_in_one_line(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.05)
    with Store(filled).writing():
        ended = invoke("alarms", "--store", filled)
    assert (ended.code, len(ended.stderr.splitlines()), "locked" in ended.stderr) == (ExitCode.USAGE, 1, True)


def test_alarm_is_told_once_and_stands_until_it_recovers(url: str) -> None:
    crossed(url, 0.12)
    first, second = invoke("alarms", "--store", url), invoke("alarms", "--store", url)
    assert ("Z alarm " in first.stdout, "above 10%" in first.stdout) == (True, True)
    assert ("above 10%" in second.stdout, second.stdout.splitlines()[-1].split()[:3]) == (
        False,
        ["alarm", "agent", "verdict"],
    )
    crossed(url, 0.0)
    assert "Z recovery " in invoke("alarms", "--store", url).stdout
    assert invoke("alarms", "--store", url).stdout == "no alarms\n"


def test_webhook_that_refuses_is_told_in_one_line(url: str) -> None:
    crossed(url, 0.2)
    with receiver([404]) as found:
        ended = invoke("alarms", "--store", url, "--webhook", found.url)
    assert (ended.code, len(ended.stderr.splitlines()), "token" in ended.stderr) == (ExitCode.MODEL_ERROR, 1, False)


@pytest.mark.usefixtures("ignored_sigint")
def test_watching_tells_of_each_event_as_it_comes_until_it_is_stopped(url: str, tmp_path: Path) -> None:
    crossed(url, 0.0)
    told = tmp_path / "told.jsonl"
    with receiver() as found, told.open("wb") as stdout:
        options = ("--store", url, "--watch", "--every", "0.1", "--json", "--webhook", found.url)
        process = subprocess.Popen(  # noqa: S603 - our own program
            [*PROGRAM, "alarms", *options], cwd=ROOT, env=environment(), stdout=stdout, stderr=subprocess.DEVNULL
        )
        for rate, count in ((0.2, 1), (0.0, 2)):
            crossed(url, rate)
            until(lambda count=count: len(found.taken) == count)  # type: ignore[misc]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == ExitCode.INTERRUPTED
    assert [json.loads(line)["kind"] for line in told.read_text().splitlines()] == ["alarm", "recovery"]
