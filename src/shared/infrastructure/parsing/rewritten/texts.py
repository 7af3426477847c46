"""Finds encoded objects in a text: written as a string, or for another format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from src.shared.domain.parse_reasons import TOO_DEEP
from src.shared.infrastructure.parsing.reader.budget import STEP, Work
from src.shared.infrastructure.parsing.reader.problem import Problem
from src.shared.infrastructure.parsing.rewritten.encoded import EncodedTexts
from src.shared.infrastructure.parsing.rewritten.escaped import MAX_LEVELS, EscapedText
from src.shared.infrastructure.parsing.values import Value

if TYPE_CHECKING:
    from src.shared.infrastructure.parsing.scanner import ValueScanner


class RewrittenTexts:
    """What finds them in one text; what was decoded once is not decoded again.

    Attributes:
        level: how many strings the text itself stands in, each encoded in the next.
    """

    def __init__(
        self, text: str, work: Work, scanner_of: Callable[[str], ValueScanner], *, level: int, salvage: bool
    ) -> None:
        self.level = level
        self._text = text
        self._work = work
        self._scanner_of = scanner_of
        self._salvage = salvage
        self._escaped: EscapedText | None = None
        self._encoded: EncodedTexts | None = None

    def escaped_at(self, start: int) -> Value:
        """The object or list that was written as the inside of a string."""
        if self.level == MAX_LEVELS:
            return Value(start, len(self._text), problem=Problem(start, TOO_DEEP), damaged=True)
        if self._escaped is None or not self._escaped.start <= start < self._escaped.end:
            self._escaped = EscapedText(self._text, start, self._scanner_of, salvage=self._salvage)
            self._work.spend(2 * (self._escaped.end - start))
        return Value(*self._escaped.value_at(start), damaged=True)

    def encoded_at(self, start: int) -> Value | None:
        """The object that was written for another format; None if there is none that can be read.

        No two formats of one kind can stand in each other, so that there is no level to count.
        """
        self._work.spend(STEP if self._encoded else 2 * (len(self._text) - start))
        self._encoded = self._encoded or EncodedTexts(self._text, self._scanner_of)
        return self._encoded.value_at(start)
