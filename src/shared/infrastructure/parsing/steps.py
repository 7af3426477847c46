"""At which lengths of a text what is new of it is looked at: at every one of a short text, in steps of a long one."""

from __future__ import annotations

import re

from src.shared.domain.expression import expression
from src.shared.domain.reading.signs import CLOSERS

FINE = 512
"""Characters of which every one is looked at as it comes. What is new of a longer text is looked at after at most a
`PARTS`th of it: each look costs a copy of what is open, and all of them together are to cost little."""
PARTS = 64
_SHIFT = PARTS.bit_length()


_CLOSER = expression(f"[{re.escape(''.join(CLOSERS))}]")


class Steps:
    """The pieces of a text that opens with a bracket, up to its closing one.

    Attributes:
        next: the length at which it is looked at, if no closing bracket comes before.
        closers: how many closing brackets have to come before it can be at its end.
    """

    def __init__(self) -> None:
        """Begin before the text."""
        self.next = self.closers = self._length = self._found = 0
        self._waiting: list[str] = []

    @property
    def waiting(self) -> str:
        """What is not given yet."""
        return "".join(self._waiting)

    def step(self, piece: str) -> str:
        """Take a piece; what waited for it, up to the last step, if there is one in it."""
        self._waiting.append(piece)
        length = self._length = self._length + len(piece)
        if length < self.next:
            self._found += len(_CLOSER.findall(piece))
            return ""
        step = 1 << (length.bit_length() - _SHIFT) if length >= FINE else 1
        self.next = (length & -step) + step
        text = "".join(self._waiting)
        return self._give(text, len(text) - length % step)

    def rest(self) -> str:
        """What is behind, up to a closing bracket at which the text may be at its end, if there is one."""
        if not self._found or self._found < self.closers:
            return ""
        text = self.waiting
        return self._give(text, 1 + max(map(text.rfind, CLOSERS)))

    def _give(self, text: str, end: int) -> str:
        rest = text[end:]
        self._waiting = [rest]
        self._found = len(_CLOSER.findall(rest)) if rest else 0
        return text[:end]
