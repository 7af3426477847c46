"""Following a committee while it sits."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from src.shared.application.agent_runs import AgentListener


class Stage(StrEnum):
    """What a committee does, in this order."""

    RESEARCH = "research"
    DEBATE = "debate"
    JUDGE = "judge"


class ProgressPort(AgentListener, Protocol):
    """Whoever watches: told of stages and of agents, as it happens. It never raises."""

    def stage_started(self, stage: Stage) -> None:
        """A stage begins; a stage that never begins is not told."""
        ...

    def stage_finished(self, stage: Stage) -> None:
        """A stage has succeeded."""
        ...
