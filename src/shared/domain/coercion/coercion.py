"""What was coerced: a closed vocabulary, one record a coercion, and what a reader of a value may find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from src.shared.domain.language import Message, Phrase


class CoercionKind(StrEnum):
    """Every way in which a value may be read as what its type asks for; there is no other.

    .. versionadded:: 0.1.0
    """

    NUMBER_TEXT = "number_text"
    """A number in a string: `"12.5"`."""
    SEPARATORS = "separators"
    """A number whose own text shows that its separators are of thousands: `"1,234,567"`, `"1.234,50"`."""
    MAGNITUDE = "magnitude"
    """A number with 万, 亿, k, M, bn and the like."""
    UNIT = "unit"
    """A number with a currency (元, $) or 倍; the unit is left out."""
    PERCENT = "percent"
    """A number with a percent sign."""
    DATE_FORM = "date_form"
    """A date in another form than ISO 8601: `"2025年11月12日"`, `"12 Nov 2025"`."""
    BOOLEAN_WORD = "boolean_word"
    """A boolean in a word: `"yes"`, `"否"`."""
    CHOICE_CASE = "choice_case"
    """A member of an enum or a literal, written in another case or with other separators: `"Strong Buy"`."""
    CHOICE_NAME = "choice_name"
    """A member of an enum by its name in the program."""
    CHOICE_GLOSS = "choice_gloss"
    """A member with a gloss in brackets: `"Fair (合理)"`."""
    LIST_OF_ONE = "list_of_one"
    """One value where a list is asked for."""
    JSON_TEXT = "json_text"
    """A list or an object that was written as JSON in a string: `"[1, 2]"`."""
    ESCAPE = "escape"
    """Backslashes that are no escapes in a field that is marked as LaTeX, or as a path."""
    WRAPPER = "wrapper"
    """The answer under one key, or in a list of one: `{"output": {…}}`."""
    ABSENT_WORD = "absent_word"
    """`"N/A"` and the like, where the value may be null."""
    KEY_SPELLING = "key_spelling"
    """A key in another case, or with other signs between its words: `"Reasoning Text"`."""


@dataclass(frozen=True, slots=True)
class Coercion:
    """One value, or one key, that was read as what its type asks for.

    Attributes:
        kind: how.
        path: JSON path of the value, as in `$.rows[0].score`; its keys are those that the type has.
        before: the value as the model gave it; of a key in another spelling, the key.
        after: the value that was validated, as JSON has it: a date is its ISO 8601 text, a `Decimal` its digits; of a
            key in another spelling, the field's.

    .. versionadded:: 0.1.0
    """

    kind: CoercionKind
    path: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Read:
    """A value has one reading as its type: `after`, as JSON has it; `inside` are the keys that were around it."""

    kind: CoercionKind
    after: Any
    inside: tuple[str, ...] = ()


TWO_READINGS = "coercion_two_readings"
NOT_EXACT = "coercion_not_exact"
"""Types of the validation errors that a doubt becomes."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A value has no reading that is exact, or more than one.

    Attributes:
        kind: `coercion_two_readings` or `coercion_not_exact`, the type of the validation error.
        message: why.
    """

    kind: str
    message: Message


Outcome: TypeAlias = Read | Doubt | None
"""None: coercion has nothing to say of the value, and the type alone decides."""
Reader: TypeAlias = Callable[[object], Outcome]


def two_readings(one: object, other: object) -> Doubt:
    """A value that can be read in two ways."""
    message = Phrase("can be read as {one} or as {other}; write it in a form with one reading", one=one, other=other)
    return Doubt(TWO_READINGS, message)


def not_exact(message: Message) -> Doubt:
    """A value that says less than its type asks for."""
    return Doubt(NOT_EXACT, message)
