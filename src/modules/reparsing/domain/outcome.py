"""What came of a text: it was read, or it was refused."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from src.modules.reparsing.domain.record import Record
from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Message
from src.shared.domain.outcome import Outcome
from src.shared.domain.ports.events import ParseOutcome

INPUT_STAGE = "input"
"""The stage of a row that never reached the parser: no text in it, not UTF-8, no JSON, an agent that is not known."""
WORKER_STAGE = "worker"
"""The stage of a text on which the reading process died, ran out of time or out of memory."""
OUTPUT_STAGE = "output"
"""The stage of a value that was read and cannot be written as JSON."""
MESSAGE_LIMIT = 2_000
"""Most characters of a refusal's message that are kept."""
_REASON_LIMIT = 120

Traits: TypeAlias = Mapping[str, Sequence[str]]
"""How a text is written, by `TRAITS`."""
TRAITS = ("wrappings", "dialects", "unknown_marks")
"""What is told of how a text is written.

`wrappings`: what stands around its answer: `fence:json`, `prose`, `reasoning`, `none`; `dialects`: the kinds of repair
that are a way of writing rather than a slip; `unknown_marks`: such as `<musing>`, as they are written.
"""


class RowOutcome(NamedTuple):
    """What came of a text.

    Attributes:
        row: what is written of it beside its place, id and agent, as JSON types. Of a text that was read: `data`,
            `repairs`, `grade`, `left_out`, and `spans` if they were asked for. Of a refused one: `stage`, where it
            failed in the parser, or `input`, `worker`, `output`; `message`; `line` and `column`, from 1 or None;
            `truncated`; `feedback`, what a model would be told.
        reason: why it was refused in a few English words without values, so that refusals of one cause can be counted.
        traits: how it is written.
    """

    row: dict[str, Any]
    reason: str = ""
    traits: Traits = {}  # noqa: RUF012 - a mapping, which nobody changes

    @property
    def stage(self) -> str:
        """The stage that refused it; empty where it was read."""
        return str(self.row.get("stage", ""))


def refusal_of(error: AppException, traits: Traits | None = None) -> RowOutcome:
    """The outcome of a text, written in some way, that the parser, or an agent's parser, refused."""
    position = error.details.get("position") or {}
    row = {
        "stage": str(error.details.get("stage", INPUT_STAGE)),
        "message": error.message[:MESSAGE_LIMIT],
        "line": position.get("line"),
        "column": position.get("column"),
        "truncated": bool(error.details.get("truncated")),
        "feedback": error.feedback(),
    }
    return RowOutcome(row, _reason(error)[:_REASON_LIMIT], traits or {})


def refusal_at(stage: str, why: Message) -> RowOutcome:
    """The outcome of a row for which no parser can be blamed."""
    place = {"line": None, "column": None, "truncated": False, "feedback": ""}
    row = {"stage": stage, "message": why.text()[:MESSAGE_LIMIT], **place}
    return RowOutcome(row, why.en.partition(":")[0][:_REASON_LIMIT])


def _reason(error: AppException) -> str:
    """What is wrong without the values of this one text: why no object was taken, else the first problem of a field.

    A problem is its path without indexes, and its type.
    """
    details = error.details
    if "normalizer" in details:
        return f"normalizer {details['normalizer']}"
    if "json_error" in details:
        return str(details["json_error"])
    problems = details.get("validation_errors")
    if problems:
        loc = [step for step in problems[0]["loc"] if not isinstance(step, int)]
        return f"{json_path(tuple(loc))}: {problems[0]['type']}"
    return error.code


def text_outcome(record: Record, outcome: RowOutcome, characters: int) -> Outcome | None:
    """The outcome as every event of a text has it; None for a row that never reached the parser.

    Args:
        record: the row's, whose agent is named as it is there.
        outcome: what came of it.
        characters: how much of the text is kept; 0 keeps none.
    """
    if outcome.stage == INPUT_STAGE:
        return None
    kinds = Counter(repair["kind"] for repair in outcome.row.get("repairs", ()))
    read = ParseOutcome.REPAIRED if kinds else ParseOutcome.CLEAN
    text = record.text or ""
    return Outcome(
        at=time.time_ns() // 1_000,
        agent=record.agent or "",
        outcome=ParseOutcome.REFUSED if outcome.stage else read,
        model=record.model or "",
        stage=outcome.stage,
        kinds=kinds,
        length=len(text),
        text=text[:characters] if characters else None,
    )
