"""The recorded model outputs that come with the package, and the expected result of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from src.entrypoints.cli.agents import AGENTS
from src.shared.domain.finish_reasons import finish_reason_of

MANIFEST = "manifest.json"
"""Says of each recording of an agent what it is and what it must come out as."""

_FOLDER = files(__package__).joinpath("recordings")


@dataclass(frozen=True)
class Recording:
    """One recorded output of one agent.

    Attributes:
        agent: the agent's name.
        case: `clean`, `wrapped`, `damaged` or `refused`.
        what: what is wrong with it.
        headline: the fields of the result that are compared, with their values; None where it must be refused.
        finish_reason: why the model stopped, as its provider spelled it; None where that was not recorded.
    """

    agent: str
    case: str
    what: str
    headline: dict[str, Any] | None = None
    finish_reason: str | None = None

    @property
    def file(self) -> str:
        """Its file, from the folder of the recordings."""
        return f"{self.agent}/{self.case}.txt"

    @property
    def finished(self) -> bool | None:
        """What the parser is told of the end of the text."""
        return finish_reason_of(self.finish_reason).finished

    def text(self) -> str:
        """The model's text."""
        return _FOLDER.joinpath(self.file).read_text(encoding="utf-8")


def recordings() -> tuple[Recording, ...]:
    """All recordings: agent by agent, each in the order of its manifest."""
    return tuple(Recording(agent, **entry) for agent in AGENTS for entry in _manifest(agent))


def _manifest(agent: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(_FOLDER.joinpath(agent, MANIFEST).read_text(encoding="utf-8"))
    return entries
