"""Why the repair agent was not asked, or its answer not taken: the first place where it differs from the text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase
from src.shared.domain.llm_exchange import LLMReply

PATH_LIMIT = 200
"""Most characters of `Difference.path`."""
EXCERPT_LIMIT = 40
"""Most characters of `Difference.found` and `Difference.answered`."""


class DifferenceKind(StrEnum):
    """What is different; there is no other."""

    VALUE_CHANGED = "value_changed"
    """A string, a number or a literal is another one."""
    NAME_CHANGED = "name_changed"
    """A field has another name."""
    TYPE_CHANGED = "type_changed"
    """A value has another type: a quoted number became a number, a string became null."""
    ADDED = "added"
    """A field or an item that the damaged text does not have."""
    LOST = "lost"
    """Something readable in the damaged text that is not in the answer."""
    STRUCTURE_CHANGED = "structure_changed"
    """The levels or the bounds of the values are others: a bracket, a string taken apart, two strings made one."""
    CUT_OFF = "cut_off"
    """The damaged text ends inside a value; what follows could only be invented."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where an answer departs from the damaged text.

    Attributes:
        kind: what is different.
        path: JSON path in the answer, such as `$.rows[0].score`, cut to PATH_LIMIT characters.
        offset: character in the damaged text, from 0.
        found: what stands there in the damaged text, cut to EXCERPT_LIMIT characters.
        answered: what the answer has instead, cut to EXCERPT_LIMIT characters; empty where it has nothing.
    """

    kind: DifferenceKind
    path: str
    offset: int
    found: str
    answered: str

    def facts(self) -> dict[str, str | int]:
        """The attributes as plain values, for an error's details."""
        return {**asdict(self), "kind": self.kind.value}


class RepairCode(StrEnum):
    """Why a damaged text was not repaired; the code of a `RepairRefusedError`."""

    NOT_APPLICABLE = "REPAIR_NOT_APPLICABLE"
    """The failure is none that repairing syntax undoes; no model was asked."""
    INPUT_TOO_LONG = "REPAIR_INPUT_TOO_LONG"
    """The damaged text is longer than the bound; no model was asked, and nothing was cut."""
    ANSWER_INCOMPLETE = "REPAIR_ANSWER_INCOMPLETE"
    """The model was stopped before its answer was whole."""
    ANSWER_NOT_JSON = "REPAIR_ANSWER_NOT_JSON"
    """The answer is not one strict JSON object."""
    SHAPE_CHANGED = "REPAIR_SHAPE_CHANGED"
    """The answer has other names, types, levels or bounds of values than the damaged text."""
    VALUE_CHANGED = "REPAIR_VALUE_CHANGED"
    """The answer rewrites a business value."""
    CONTENT_ADDED = "REPAIR_CONTENT_ADDED"
    """The answer has a field or an item that the damaged text does not have."""
    CONTENT_LOST = "REPAIR_CONTENT_LOST"
    """The answer lacks something that can be read in the damaged text."""
    UNPROVEN = "REPAIR_UNPROVEN"
    """The reader's own rules do not make of the damaged text what the answer does, or not only that."""


class RepairRefusedError(AppException):
    """A damaged text was not repaired by the model; the parser's error about it stands.

    `details` holds, as they apply: `stage` (of the parser's error), `input_chars`, `max_input_chars`, `answer_chars`,
    `finish_reason`, `json_error`, `difference` (see `Difference.facts`).

    Attributes:
        reply: the model's reply, for what it cost; None where no model was asked.
        difference: the first place where the answer says something else; None where it was not compared.
    """

    reply: LLMReply | None = None

    def __init__(
        self, code: RepairCode, message: Message, details: dict[str, Any], difference: Difference | None = None
    ) -> None:
        super().__init__(message.text(), details, code=code.value)
        self.difference = difference


_BY_KIND: dict[DifferenceKind, tuple[RepairCode, Message]] = {
    DifferenceKind.VALUE_CHANGED: (RepairCode.VALUE_CHANGED, Phrase("a value was rewritten")),
    DifferenceKind.NAME_CHANGED: (RepairCode.SHAPE_CHANGED, Phrase("a field was renamed")),
    DifferenceKind.TYPE_CHANGED: (RepairCode.SHAPE_CHANGED, Phrase("a value has another type")),
    DifferenceKind.ADDED: (RepairCode.CONTENT_ADDED, Phrase("something was added")),
    DifferenceKind.LOST: (RepairCode.CONTENT_LOST, Phrase("something is missing")),
    DifferenceKind.STRUCTURE_CHANGED: (RepairCode.SHAPE_CHANGED, Phrase("the structure is another")),
    DifferenceKind.CUT_OFF: (
        RepairCode.CONTENT_ADDED,
        Phrase("the damaged text is cut off, the answer goes on"),
    ),
}


def refused_difference(difference: Difference) -> RepairRefusedError:
    """The error for an answer that says something else than the damaged text."""
    code, what = _BY_KIND[difference.kind]
    path = difference.path
    message = Phrase("the repair agent's answer is not accepted: {what}, at {path}", what=what, path=path)
    return RepairRefusedError(code, message, {"difference": difference.facts()}, difference)


_READ_OTHERWISE = Phrase("the reader reads something else in it")
_NOT_READ = Phrase("the reader does not read it, or not without a guess")


def unproven(difference: Difference | None, refusal: str = "") -> RepairRefusedError:
    """The error for an answer to a text that the reader reads otherwise, or refuses; `refusal` is its reason then."""
    why = _READ_OTHERWISE if difference else _NOT_READ
    message = Phrase("the damaged text does not prove the repair agent's answer: {why}", why=why)
    found = {"difference": difference.facts()} if difference else {"json_error": refusal}
    return RepairRefusedError(RepairCode.UNPROVEN, message, found, difference)
