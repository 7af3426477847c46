"""Every question to a model in the order of time, with its tokens, its cost and what became of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pydantic import BaseModel

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.labels import agent_title
from src.shared.application.agent_runs import AgentAnswer
from src.shared.application.question import Attempt
from src.shared.domain.ports.llm import TokenUsage

_AFTER_THE_EXPERTS: Final = {"bull_advocate": 1, "bear_advocate": 1, "resolution": 2, "verdict": 3}
"""Which agents wait for others, and in which order; all others are asked at the beginning."""
_NARROWEST = 0.5
"""Percent of the width that the shortest call is drawn with."""


class CallState(StrEnum):
    """What became of a question."""

    USED = "used"
    REFUSED = "refused"
    """A reply came and could not be used."""
    FAILED = "failed"
    """No reply came."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question and its reply.

    Attributes:
        label: who asked.
        number: of the try, from 1.
        by_repair_agent: whether the repair agent was asked.
        state: what became of it.
        start: seconds from the beginning to the question, without what was waited between tries.
        seconds: the model took; None where no reply came.
        usage: tokens of the question and its reply.
        cost: of these tokens; None where no price is known, or no tokens.
        left: where its bar begins, in percent of the whole time.
        width: of its bar, likewise; 0 where no time is known.
    """

    label: str
    number: int
    by_repair_agent: bool
    state: CallState
    start: float
    seconds: float | None
    usage: TokenUsage
    cost: float | None
    left: float = 0.0
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Timeline:
    """All calls by their beginning; `seconds` from the first to the end of the last, 0 where no time is known."""

    calls: tuple[Call, ...]
    seconds: float


def timeline_of(result: CommitteeResult) -> Timeline:
    """The calls, each where it must have begun: a stage begins when the one before has ended."""
    stages: dict[int, list[AgentAnswer[BaseModel]]] = defaultdict(list)
    for answer in result.answers:
        stages[_AFTER_THE_EXPERTS.get(answer.agent.name, 0)].append(answer)
    calls: list[Call] = []
    start = 0.0
    for stage in sorted(stages):
        for answer in stages[stage]:
            calls += _calls(answer, start, result)
        start = max(map(_end, calls), default=start)
    return Timeline(tuple(_placed(call, start) for call in sorted(calls, key=lambda one: one.start)), start)


def _calls(answer: AgentAnswer[BaseModel], start: float, result: CommitteeResult) -> Iterator[Call]:
    price = result.totals.price
    label = agent_title(answer.agent.name, answer.agent.label)
    for attempt in answer.outcome.attempts:
        seconds = attempt.reply.latency if attempt.reply else None
        cost = price.cost(attempt.usage) if price and attempt.usage.total_tokens else None
        yield Call(label, attempt.number, attempt.by_repair_agent, _state(attempt), start, seconds, attempt.usage, cost)
        start += seconds or 0.0


def _state(attempt: Attempt) -> CallState:
    if attempt.error is None:
        return CallState.USED
    return CallState.REFUSED if attempt.reply else CallState.FAILED


def _end(call: Call) -> float:
    return call.start + (call.seconds or 0.0)


def _placed(call: Call, whole: float) -> Call:
    if not whole or not call.seconds:
        return call
    width = max(call.seconds / whole * 100, _NARROWEST)
    return replace(call, left=round(min(call.start / whole * 100, 100 - width), 2), width=round(width, 2))
