"""What came of a committee: everything that was found until it decided, or until it could not go on."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from examples.committee.application.progress import Stage
from src.modules.debate.domain.dtos.debate_outcome import DebateArguments, DebateOutcomeDTO
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.shared.application.agent_runs import AgentAnswer, AgentId
from src.shared.domain.budget import TokenPrice
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.rules import RuleViolation


@dataclass(frozen=True, slots=True)
class Totals:
    """What all agents together took.

    Attributes:
        usage: tokens of all answers, re-asks and repairs included.
        calls: replies that were received.
        seconds: from the beginning to the end.
        cost: in `currency`; None where no price is known.
        currency: of `cost`.
        price: what `cost` was reckoned with; None where no price is known.
        complete: False where an agent was cut off: what it had used by then is not in the sums.
    """

    usage: TokenUsage
    calls: int
    seconds: float
    cost: float | None = None
    currency: str = ""
    complete: bool = True
    price: TokenPrice | None = None


@dataclass(frozen=True, slots=True)
class CommitteeResult:
    """What came of a committee.

    Attributes:
        symbol: the stock.
        totals: what it took.
        answers: every agent's answer with prompt, raw text and attempts, in the order in which they came.
        unfinished: agents that were asked and cut off.
        research: what the experts found; there as soon as all were asked, also when too few answered.
        arguments: the advocates' cases; there as soon as one of them has made its case.
        debate: what came of the debate.
        verdict: the decision.
        warnings: what a reader of the verdict should be told, each with the rule that it breaks.
        failed_in: the stage that failed; None where there is a verdict.
        error: why there is no verdict; None where there is one.
    """

    symbol: str
    totals: Totals
    answers: tuple[AgentAnswer[BaseModel], ...] = ()
    unfinished: tuple[AgentId, ...] = ()
    research: ResearchReport | None = None
    arguments: DebateArguments | None = None
    debate: DebateOutcomeDTO | None = None
    verdict: VerdictDTO | None = None
    warnings: tuple[RuleViolation, ...] = ()
    failed_in: Stage | None = None
    error: AppException | None = None

    def decision(self) -> VerdictDTO:
        """The verdict.

        Raises:
            AppException: there is none; the error of what failed.
        """
        if self.verdict is not None:
            return self.verdict
        raise error_of(self.error)
