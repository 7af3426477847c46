"""The record of one committee while it sits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import add

from pydantic import BaseModel

from examples.committee.application.progress import ProgressPort, Stage
from examples.committee.application.result import CommitteeResult, Totals
from src.modules.debate.domain.dtos.debate_outcome import DebateArguments, DebateOutcomeDTO
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.shared.application.agent_runs import AgentAnswer, AgentId, Interruption, seconds_left
from src.shared.application.question import Stop
from src.shared.domain.budget import TokenPrice
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.rules import RuleViolation


class Sitting:
    """Listens to the agents of one run and keeps what was found; used once.

    Attributes:
        research, arguments, debate, verdict, warnings, error: as in `CommitteeResult`.
        interruption: ends the run before its time.
        stage: what is going on.
        is_late: whether an agent had no answer when the time was up.
    """

    def __init__(self, symbol: str, progress: ProgressPort | None, interruption: Interruption) -> None:
        self._symbol = symbol
        self._progress = progress
        self.interruption = interruption
        self._began = time.monotonic()
        self._answers: list[AgentAnswer[BaseModel]] = []
        self._asked: list[AgentId] = []
        self._answered: set[AgentId] = set()
        self.stage = Stage.RESEARCH
        self.is_late = False
        self.research: ResearchReport | None = None
        self.arguments: DebateArguments | None = None
        self.debate: DebateOutcomeDTO | None = None
        self.verdict: VerdictDTO | None = None
        self.warnings: tuple[RuleViolation, ...] = ()
        self.error: AppException | None = None

    @property
    def unfinished(self) -> tuple[AgentId, ...]:
        """The agents that were asked and are still being asked, or had no answer when the time was up."""
        return tuple(agent for agent in self._asked if agent not in self._answered)

    @contextmanager
    def during(self, stage: Stage) -> Iterator[None]:
        """Tell whoever watches of a stage's beginning and, if nothing was raised, of its end."""
        self.stage = stage
        if self._progress:
            self._progress.stage_started(stage)
        yield
        if self._progress:
            self._progress.stage_finished(stage)

    def agent_started(self, agent: AgentId) -> None:
        """Note an agent that is being asked."""
        self._asked.append(agent)
        if self._progress:
            self._progress.agent_started(agent)

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Note what came of it."""
        self._answers.append(answer)
        if answer.outcome.parsed is None and seconds_left() == 0:
            self.is_late = True
        else:
            self._answered.add(answer.agent)
        if self._progress:
            self._progress.agent_answered(answer)

    def result(self, price: TokenPrice | None) -> CommitteeResult:
        """What came of it all."""
        return CommitteeResult(
            self._symbol,
            self._totals(price),
            tuple(self._answers),
            self.unfinished,
            self.research,
            self.arguments,
            self.debate,
            self.verdict,
            self.warnings,
            self.stage if self.error else None,
            self.error,
        )

    def _totals(self, price: TokenPrice | None) -> Totals:
        replies = [reply for answer in self._answers for reply in answer.replies]
        usage = reduce(add, (answer.outcome.usage for answer in self._answers), TokenUsage())
        seconds = time.monotonic() - self._began
        cut_off = any(answer.outcome.stop is Stop.SECONDS_SPENT for answer in self._answers)
        complete = not self.unfinished and not cut_off
        if price is None:
            return Totals(usage, len(replies), seconds, complete=complete)
        return Totals(usage, len(replies), seconds, price.cost(usage), price.currency, complete, price)
