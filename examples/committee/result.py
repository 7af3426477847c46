"""What came of a committee: everything that was found until it decided, or until it could not go on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from operator import add

from pydantic import BaseModel

from src.modules.debate.domain.dtos.debate_outcome import DebateArguments, DebateOutcomeDTO
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.shared.application.prompted_agent import AgentAnswer, AgentId
from src.shared.domain.budget import TokenPrice
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.rules import RuleViolation


class Stage(StrEnum):
    """What a committee does, in this order."""

    RESEARCH = "research"
    DEBATE = "debate"
    JUDGE = "judge"


@dataclass
class CommitteeResult:
    """What a committee has found. It listens to the agents while they sit, so that one that is stopped loses nothing.

    Attributes:
        symbol: the stock.
        price: what tokens cost; None where that is not known.
        stage: what is going on, or was the last thing that did.
        asked: the agents, in the order in which they were asked.
        answers: every agent's answer with prompt, raw text and attempts, in the order in which they came.
        research: what the experts found; there as soon as all were asked, also when too few answered.
        arguments: the advocates' cases; there as soon as one of them has made its case.
        debate: what came of the debate.
        verdict: the decision.
        warnings: what a reader of the verdict should be told, each with the rule that it breaks.
        error: why there is no verdict; None where there is one.
        seconds: from the beginning to the end.
    """

    symbol: str
    price: TokenPrice | None = None
    stage: Stage = Stage.RESEARCH
    asked: list[AgentId] = field(default_factory=list)
    answers: list[AgentAnswer[BaseModel]] = field(default_factory=list)
    research: ResearchReport | None = None
    arguments: DebateArguments | None = None
    debate: DebateOutcomeDTO | None = None
    verdict: VerdictDTO | None = None
    warnings: tuple[RuleViolation, ...] = ()
    error: AppException | None = None
    seconds: float = 0.0

    def stage_started(self, stage: Stage) -> None:
        """Note that a stage begins."""
        self.stage = stage

    def agent_started(self, agent: AgentId) -> None:
        """Note an agent that is being asked."""
        self.asked.append(agent)

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Note what came of it."""
        self.answers.append(answer)

    @property
    def unfinished(self) -> tuple[AgentId, ...]:
        """The agents that were asked and have not answered: those that a stop has cut off."""
        answered = {answer.agent for answer in self.answers}
        return tuple(agent for agent in self.asked if agent not in answered)

    @property
    def replies(self) -> int:
        """How many replies were received, the repair agent's included."""
        return sum(len(answer.replies) for answer in self.answers)

    @property
    def usage(self) -> TokenUsage:
        """Tokens of all answers; what an agent that was cut off had used is not known."""
        return reduce(add, (answer.outcome.usage for answer in self.answers), TokenUsage())

    def decision(self) -> VerdictDTO:
        """The verdict.

        Raises:
            AppException: there is none; the error of what failed.
        """
        if self.verdict is not None:
            return self.verdict
        raise error_of(self.error)
