"""How sure a result is, in one word: what had to be done to the text to read it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from src.shared.domain.repair import RepairKind


class Grade(StrEnum):
    """How sure a result is; the surest comes first.

    .. versionadded:: 0.1.0
    """

    CLEAN = "clean"
    """The text is the JSON."""
    WRAPPED = "wrapped"
    """The JSON stands in other text: reasoning, prose, a fence."""
    LOSSLESS = "lossless"
    """Only delimiters and escapes were put in or taken out."""
    READ = "read"
    """A value's spelling was read, such as `None`, `1_000` or a backslash, or text that is no value was left out."""
    CHOSEN = "chosen"
    """The type or other evidence decided between several readings, or a part was given up."""

    def is_behind(self, other: Grade) -> bool:
        """Whether it is less sure than another."""
        return _RANKS[self] > _RANKS[other]


_RANKS = {grade: rank for rank, grade in enumerate(Grade)}
Accept: TypeAlias = Literal["clean", "wrapped", "lossless", "read", "chosen"]
"""The name of the last grade that a caller takes."""
ANY_GRADE: Final = "chosen"
"""The name of the last of all."""

GRADES: dict[RepairKind, Grade] = {
    RepairKind.CONTROL_CHARACTER: Grade.LOSSLESS,
    RepairKind.SMART_QUOTE: Grade.LOSSLESS,
    RepairKind.FULL_WIDTH_PUNCTUATION: Grade.LOSSLESS,
    RepairKind.SINGLE_QUOTE: Grade.LOSSLESS,
    RepairKind.UNQUOTED_KEY: Grade.LOSSLESS,
    RepairKind.UNQUOTED_VALUE: Grade.READ,
    RepairKind.UNESCAPED_QUOTE: Grade.LOSSLESS,
    RepairKind.MISSING_QUOTE: Grade.READ,
    RepairKind.STRAY_QUOTE: Grade.LOSSLESS,
    RepairKind.BAD_ESCAPE: Grade.READ,
    RepairKind.TRAILING_COMMA: Grade.LOSSLESS,
    RepairKind.MISSING_COMMA: Grade.LOSSLESS,
    RepairKind.DOUBLED_COMMA: Grade.LOSSLESS,
    RepairKind.MISSING_COLON: Grade.LOSSLESS,
    RepairKind.COMMENT: Grade.READ,
    RepairKind.PYTHON_LITERAL: Grade.READ,
    RepairKind.JAVASCRIPT_LITERAL: Grade.READ,
    RepairKind.NON_FINITE_NUMBER: Grade.READ,
    RepairKind.NUMBER_SPELLING: Grade.READ,
    RepairKind.ELLIPSIS: Grade.CHOSEN,
    RepairKind.MISSING_BRACKET: Grade.LOSSLESS,
    RepairKind.SURPLUS_BRACKET: Grade.LOSSLESS,
    RepairKind.STRING_CONCATENATION: Grade.READ,
    RepairKind.INVISIBLE_CHARACTER: Grade.LOSSLESS,
    RepairKind.ESCAPED_JSON: Grade.LOSSLESS,
    RepairKind.MARKUP: Grade.READ,
    RepairKind.REPEATED_KEY: Grade.READ,
    RepairKind.DUPLICATE_KEY: Grade.CHOSEN,
    RepairKind.TRUNCATED_MEMBER: Grade.CHOSEN,
}
"""What each kind of repair makes of a result."""


def least_sure(grades: Iterable[Grade]) -> Grade:
    """The last of some grades; `clean` where there are none."""
    return max(grades, key=_RANKS.__getitem__, default=Grade.CLEAN)
