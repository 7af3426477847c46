"""What came of a text: it was read, or it was refused."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from src.modules.reparsing.domain.record import Record
from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.grade import Grade
from src.shared.domain.language import Message

INPUT_STAGE = "input"
"""The stage of a row that never reached the parser: no text in it, not UTF-8, no JSON, an agent that is not known."""
WORKER_STAGE = "worker"
"""The stage of a text on which the reading process died, ran out of time or out of memory."""
OUTPUT_STAGE = "output"
"""The stage of a value that was read and cannot be written as JSON."""

MESSAGE_LIMIT = 2_000
"""Most characters of a refusal's message that are kept."""
_REASON_LIMIT = 120


class RepairMark(NamedTuple):
    """A repair, by its kind and its place; line and column count from 1."""

    kind: str
    line: int
    column: int


class LeftOut(NamedTuple):
    """A part of an answer that was not kept: its JSON path, its place, from 1 or None, and why."""

    path: str
    line: int | None
    column: int | None
    message: str


class Traits(NamedTuple):
    """How a text is written: what stands around its answer, its ways of writing, and marks that nothing here knows.

    Attributes:
        wrappings: `fence:json`, `prose`, `reasoning`; `none` where nothing stands around it; empty for a refused text.
        dialects: the kinds of repair that are a way of writing rather than a slip.
        unknown_marks: as they are written, such as `<musing>`.
    """

    wrappings: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    unknown_marks: tuple[str, ...] = ()


NO_TRAITS = Traits()
"""Of a text that nobody has looked at."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text that was read.

    Attributes:
        data: the value as JSON types.
        repairs: what was repaired for it.
        grade: how sure it is.
        left_out: the parts of the answer that are not in the value, where the good ones were to be kept.
        traits: how it is written.
    """

    data: Any
    repairs: tuple[RepairMark, ...] = ()
    grade: str = Grade.CLEAN.value
    left_out: tuple[LeftOut, ...] = ()
    traits: Traits = NO_TRAITS


@dataclass(frozen=True, slots=True)
class Refused:
    """A text that was not read.

    Attributes:
        stage: the stage of the parser that failed, or `input`, `worker`, `output`.
        message: what was wrong.
        reason: the same in a few English words without values, so that refusals of one cause can be counted.
        feedback: what a model would be told, or empty where no model can help.
        line, column: the place in the text, from 1, or None.
        truncated: whether the text was cut off.
        traits: how it is written.
    """

    stage: str
    message: str
    reason: str
    feedback: str = ""
    line: int | None = None
    column: int | None = None
    truncated: bool = False
    traits: Traits = NO_TRAITS


Outcome: TypeAlias = Parsed | Refused


class Answer(NamedTuple):
    """A record, what came of its text, and how many seconds that took."""

    record: Record
    outcome: Outcome
    seconds: float = 0.0


def refused(error: AppException, traits: Traits = NO_TRAITS) -> Refused:
    """The outcome of a text, written in some way, that the parser, or an agent's parser, refused."""
    position = error.details.get("position") or {}
    return Refused(
        stage=str(error.details.get("stage", INPUT_STAGE)),
        message=error.message[:MESSAGE_LIMIT],
        reason=_reason(error)[:_REASON_LIMIT],
        feedback=error.feedback(),
        line=position.get("line"),
        column=position.get("column"),
        truncated=bool(error.details.get("truncated")),
        traits=traits,
    )


def turned_away(stage: str, why: Message) -> Refused:
    """The outcome of a row for which no parser can be blamed."""
    return Refused(stage=stage, message=why.text()[:MESSAGE_LIMIT], reason=why.en.partition(":")[0][:_REASON_LIMIT])


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


class TextNote(NamedTuple):
    """A text of a model, and what came of it.

    Attributes:
        at: when it was read, in microseconds since 1970, UTC.
        agent: as its row has it, or None.
        model: the model's name, or None.
        stage: the stage that refused it; empty where it was read.
        kinds: a kind for each repair.
        length: its characters.
        text: its beginning, where texts are noted.
    """

    at: int
    agent: str | None
    model: str | None
    stage: str
    kinds: tuple[str, ...]
    length: int
    text: str | None

    @classmethod
    def of(cls, answer: Answer, characters: int) -> TextNote | None:
        """The note of a text; None for a row that never reached the parser.

        Args:
            answer: the row and what came of it.
            characters: how much of the text is noted.
        """
        record, outcome, _ = answer
        stage = outcome.stage if isinstance(outcome, Refused) else ""
        if stage == INPUT_STAGE:
            return None
        kinds = () if isinstance(outcome, Refused) else tuple(mark.kind for mark in outcome.repairs)
        text = record.text or ""
        noted = text[:characters] if characters else None
        return cls(time.time_ns() // 1_000, record.agent, record.model, stage, kinds, len(text), noted)
