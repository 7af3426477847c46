"""The attack with cuts through a model's call: the finish reason says what is known about the end, and no more."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel

from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget as CallBudget
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.llm.provider_errors import Endpoint
from src.shared.infrastructure.llm.wire import CompletionReader
from tools.attack import tool_call_cuts
from tools.attack.answers import SHAPES
from tools.attack.budget import Budget
from tools.attack.documents import Document
from tools.attack.reader import Accepted, Crashed, Reading, Refused
from tools.attack.styles import STYLES, in_style
from tools.attack.tables import example, table
from tools.attack.tool_call_cuts import CutReport

STOPPED = ("stop", "STOP", "end_turn", "stop_sequence", "eos")
"""Finish reasons by which the model stopped by itself: what is left of its text may be read."""
CUT = ("length", "LENGTH", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length", "incomplete")
"""Finish reasons that say that the text is cut off, whatever it looks like."""
UNKNOWN = (None, "", "SAFETY", "RECITATION", "OTHER", "tool_calls", "function_call", "pause_turn", "no such reason")
"""Finish reasons that say nothing about the end, and none at all."""
REASONS = (*STOPPED, *CUT, *UNKNOWN)
BROKEN = {
    "part": "an accepted cut with something missing, where the model is not known to have stopped by itself",
    "cut accepted": "an answer that came back though its finish reason says that it is cut off",
    "crashed": "an exception that is not the application's",
}
"""Counts that break a promise."""
_COLUMNS = ("calls", "refused", "whole", "part, stopped", *BROKEN)
_ENDPOINT = Endpoint("attack", "attack", 1.0)

Call = Callable[[str, str | None, type[BaseModel]], Reading]
"""Something that reads a reply's text, its finish reason and the type asked for."""


@dataclass(frozen=True, slots=True)
class OneReply:
    """A provider with one answer; implements `LLMPort`."""

    text: str
    finish_reason: str | None

    async def generate(self, request: LLMRequest) -> LLMReply:  # noqa: ARG002 - there is one answer
        """Return the answer as the adapter of chat completions reads it."""
        choice = {"index": 0, "message": {"content": self.text}, "finish_reason": self.finish_reason}
        reader = CompletionReader(_ENDPOINT)
        reader.add({"choices": [choice]}, "message")
        return reader.reply()


def call(text: str, finish_reason: str | None, dto_type: type[BaseModel]) -> Reading:
    """Get a text as the only answer of `call_with_json`: nobody is asked again."""
    typed = TypedLLM(OneReply(text, finish_reason), output_of=plain_output, events=FanOut())
    try:
        return Accepted(asyncio.run(typed.call_with_json("?", output_model=dto_type, budget=CallBudget(max_retries=0))))
    except AppException as error:
        return Refused(error.details.get("truncated") is True)
    except Exception as error:  # noqa: BLE001 - that this never happens is one of the promises
        return Crashed(f"{type(error).__name__}: {error}")


@dataclass(slots=True)
class CallReport:
    """Counts for (finish reason, column), and the shortest text for each broken promise."""

    counts: Counter[tuple[str | None, str]] = field(default_factory=Counter)
    shortest: dict[tuple[str | None, str], tuple[str, Document, Any]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""
        return bool(self.shortest)

    def add(self, reason: str | None, column: str, text: str, answer: Document, reading: Reading) -> None:
        """Count a call."""
        self.counts[reason, "calls"] += 1
        self.counts[reason, column] += 1
        if column in BROKEN:
            found = (text, answer, reading.data if isinstance(reading, Accepted) else repr(reading))
            self.shortest[reason, column] = min(found, self.shortest.get((reason, column), found), key=_length)

    def text(self) -> str:
        """Write the table, what its columns mean, and the examples."""
        rows = [[repr(reason), *(self.counts[reason, column] for column in _COLUMNS)] for reason in REASONS]
        total = ["all", *(sum(self.counts[reason, column] for reason in REASONS) for column in _COLUMNS)]
        notes = [f"{column}: {meaning}; must be 0." for column, meaning in BROKEN.items()]
        examples = [
            example(f"finish reason {reason!r}, {column}", text=text, answer=answer, got=got)
            for (reason, column), (text, answer, got) in self.shortest.items()
        ]
        return "\n\n".join([table(("finish reason", *_COLUMNS), [*rows, total]), "\n".join(notes), *examples])


class BothReports(NamedTuple):
    """Of calls of a model, and of tool calls that a model wrote."""

    calls: CallReport
    tool_calls: CutReport

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""
        return self.calls.broken or self.tool_calls.broken

    def text(self) -> str:
        """Write both."""
        return f"{self.calls.text()}\n\n{self.tool_calls.text()}"


def attack_both(budget: Budget, seed: int) -> BothReports:
    """Cut answers, and then tool calls; of these all cuts, whatever the budget is."""
    return BothReports(attack(budget, seed), tool_call_cuts.attack())


def attack(budget: Budget, seed: int, caller: Call = call) -> CallReport:
    """Cut answers of every style at random places, and send each with the finish reasons in turn."""
    report = CallReport()
    for number, rng in budget.turns(seed):
        reason = REASONS[number % len(REASONS)]
        shape, style = rng.choice(SHAPES), rng.choice(STYLES)
        answer = shape.make(rng, style.sorts)
        whole = in_style(rng, style, answer)
        text = whole[: rng.randint(1, len(whole) - 1)]
        reading = caller(text, reason, shape.dto_type)
        report.add(reason, judged(reading, shape.dto_type.model_validate(answer), reason), text, answer, reading)
    return report


def judged(reading: Reading, answer: BaseModel, reason: str | None) -> str:
    """Name the column for what came back."""
    if isinstance(reading, Crashed):
        return "crashed"
    if isinstance(reading, Refused):
        return "refused"
    if reason in CUT:
        return "cut accepted"
    if reading.data == answer:
        return "whole"
    return "part, stopped" if reason in STOPPED else "part"


def _length(found: tuple[str, Document, Any]) -> tuple[int, str]:
    return len(found[0]), found[0]
