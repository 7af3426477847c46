"""How sure a result is, in one word: what had to be done to the text to read it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Literal, TypeAlias


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


def least_sure(grades: Iterable[Grade]) -> Grade:
    """The last of some grades; `clean` where there are none."""
    return max(grades, key=_RANKS.__getitem__, default=Grade.CLEAN)
