"""How a result came about: each agent's attempts, repairs, tokens and seconds."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from examples.committee.application.result import CommitteeResult
from src.entrypoints.reports.words import reason_of
from src.shared.application.agent_runs import AgentAnswer
from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.repair import how_often


@dataclass(frozen=True, slots=True)
class AgentEffort:
    """What one agent took.

    Attributes:
        answered: whether there is a result in the end.
        replies: replies that were received, those of the repair agent included.
        asked: attempts, re-asks included; the repair agent's are not.
        refused: why earlier attempts could not be used, in their order: the errors' messages.
        reasons: the same in the report's language.
        repaired: what was repaired in the text that was used, kind by kind, most frequent first.
        by_repair_agent: whether the repair agent was asked too.
        models: names of the models that answered.
        usage: tokens of all replies; nothing of it is known where the provider does not say.
        seconds: the model took for all replies.
    """

    name: str
    label: str
    answered: bool
    replies: int
    asked: int
    refused: tuple[str, ...]
    reasons: tuple[str, ...]
    repaired: tuple[tuple[str, int], ...]
    by_repair_agent: bool
    models: tuple[str, ...]
    usage: TokenUsage
    seconds: float


def efforts_of(result: CommitteeResult) -> tuple[AgentEffort, ...]:
    """Each answer's effort, in the order in which they came."""
    return tuple(map(effort_of, result.answers))


def effort_of(answer: AgentAnswer[BaseModel]) -> AgentEffort:
    """What one agent took."""
    outcome = answer.outcome
    own = [attempt for attempt in outcome.attempts if not attempt.by_repair_agent]
    errors = [attempt.error for attempt in outcome.attempts if attempt.error is not None]
    kinds = how_often(outcome.parsed.repairs if outcome.parsed else ())
    return AgentEffort(
        answer.agent.name,
        answer.agent.label,
        outcome.parsed is not None,
        len(answer.replies),
        len(own),
        tuple(error.message for error in errors),
        tuple(map(reason_of, errors)),
        tuple((kind.value, count) for kind, count in kinds.most_common()),
        len(own) < len(outcome.attempts),
        tuple(dict.fromkeys(reply.model for reply in answer.replies if reply.model)),
        outcome.usage,
        sum(reply.latency for reply in answer.replies),
    )
