"""The journal of a run: a line for each agent that is asked, has answered or has failed, written as it happens.

It is what a run that goes on with another one has to know beside the replies: which agents had failed when a later one
was asked.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from examples.committee.application.progress import ProgressPort, Stage
from examples.committee.domain.steps import settled
from src.shared.application.agent_runs import AgentAnswer, AgentId
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.llm.exchange import append_whole

ASKED, ANSWERED, FAILED = "asked", "answered", "failed"


class Journal:
    """Writes the journal, and tells somebody else of everything too; implements `ProgressPort`."""

    def __init__(self, path: Path, watcher: ProgressPort) -> None:
        self._path = path
        self._watcher = watcher

    def stage_started(self, stage: Stage) -> None:
        """Pass it on."""
        self._watcher.stage_started(stage)

    def stage_finished(self, stage: Stage) -> None:
        """Pass it on."""
        self._watcher.stage_finished(stage)

    def agent_started(self, agent: AgentId) -> None:
        """Note who is asked."""
        self._note(agent, ASKED)
        self._watcher.agent_started(agent)

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Note whether there is an answer, and why not."""
        error = answer.outcome.error
        if error is None:
            self._note(answer.agent, ANSWERED)
        else:
            self._note(answer.agent, FAILED, code=error.code, message=error.message)
        self._watcher.agent_answered(answer)

    def _note(self, agent: AgentId, state: str, **facts: str) -> None:
        line = {"agent": agent.name, "label": agent.label, "state": state, **facts}
        with contextlib.suppress(OSError):  # a recording that cannot be written either ends the run
            append_whole(self._path, json.dumps(line, ensure_ascii=False).encode() + b"\n")


def settled_in(journal: Path) -> dict[str, AppException]:
    """By the label of each agent whose failure is settled, the failure; empty where there is no journal.

    Raises:
        OSError: it cannot be read.
        ValueError: a line is no line of a journal.
    """
    asked: set[str] = set()
    labels: dict[str, str] = {}
    failed: dict[str, AppException] = {}
    for line in _lines(journal):
        name = line["agent"]
        asked.add(name)
        labels[name] = line["label"]
        failed.pop(name, None)
        if line["state"] == FAILED:
            failed[name] = AppException(line["message"], code=line["code"])
    return {labels[name]: error for name, error in settled(asked, failed).items()}


def _lines(journal: Path) -> Iterator[dict[str, str]]:
    if not journal.exists():
        return
    for number, text in enumerate(journal.read_text(encoding="utf-8").split("\n"), 1):
        if not text:
            continue
        try:
            line = json.loads(text)
            yield {name: str(line[name]) for name in (*_NAMES, *(_REASON if line["state"] == FAILED else ()))}
        except (ValueError, KeyError, TypeError) as error:
            message = f"line {number} of {journal.name} is no line of a journal"
            raise ValueError(message) from error


_NAMES, _REASON = ("agent", "label", "state"), ("code", "message")
