"""With `OUTPUT_STORE_URL` the events of an application go to the store; without it nothing of the store is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from tests.entrypoints.cli.harness import run
from tests.paths import ROOT

PROGRAM = """
import asyncio, os, sys
from dependency_injector import providers
from src.bootstrap import Application
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.question import Question
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage

TEXT = ("{'action': 'HOLD', 'position_percent': 0, 'confidence': 0.5, 'entry_strategy': '', "
        "'stop_loss': '', 'take_profit': '', 'time_horizon': ''}")

class Model:
    async def generate(self, request):
        return LLMReply(TEXT, FinishReason.STOP, "our-model", TokenUsage(1, 1), latency=0.1)

def answer():
    app = Application()
    app.model.override(providers.Object(Model()))
    asyncio.run(app.typed_llm().generate_and_parse(Question.of("Decide."), OUTPUT))

answer()
print(*[name for name in sys.modules if name.startswith(("sqlalchemy", "src.modules.monitoring"))])
os.environ["OUTPUT_STORE_URL"] = sys.argv[1]
answer()
"""


@dataclass(frozen=True)
class Recorded:
    """What of the store a process has imported after an answer without one, and the store after one with it."""

    imported: list[str]
    url: str


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OUTPUT_")}
    url = f"sqlite:///{tmp_path_factory.mktemp('recorded') / 'outcomes.db'}"
    shown = subprocess.check_output([sys.executable, "-c", PROGRAM, url], cwd=ROOT, env=clean, text=True)  # noqa: S603 - our own program
    return Recorded(shown.split(), url)


def test_answers_of_an_application_are_in_the_store(recorded: Recorded) -> None:
    (rate,) = read_rates(recorded.url).by_model()
    assert (rate.name, rate.texts.parses, rate.texts.repaired, rate.texts.re_asked) == ("our-model", 1, 1, 0)


def test_nothing_of_the_store_is_imported_without_one(recorded: Recorded) -> None:
    assert recorded.imported == []


def test_wrong_address_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from src.bootstrap import Application  # noqa: PLC0415 - with the other tests of this file it is a process's

    monkeypatch.setenv("OUTPUT_STORE_URL", "nowhere")
    with pytest.raises(MonitoringSettingsError):
        Application().events()


def test_texts_of_an_application_are_in_the_store_when_the_command_ends(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    ended = run("envelope", "examples/cowriting/damaged.txt", "--quiet", cwd=tmp_path, OUTPUT_STORE_URL=url)
    assert ended.code in {ExitCode.OK, ExitCode.PARSE_ERROR}, ended.stderr
    rates = read_rates(url)
    assert sum(rate.texts.parses for rate in rates.by_agent()) == 2
    assert rates.facts().dropped == 0
