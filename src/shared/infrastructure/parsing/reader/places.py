"""Maps places of a decoded text to the text it was decoded from, and back."""

from __future__ import annotations

from array import array
from bisect import bisect_right


class Places:
    """The ends of what was replaced, in both texts, in their order."""

    def __init__(self, start: int) -> None:
        self._outside, self._inside = array("q", [start]), array("q", [0])

    def replaced(self, start: int, end: int, length: int) -> None:
        """Note that so many characters were put for those between two offsets of the raw text."""
        before = self._inside[-1] + start - self._outside[-1]
        self._outside.append(end)
        self._inside.append(before + length)

    def inside(self, offset: int) -> int:
        """The place in the decoded text of an offset in the raw one."""
        at = bisect_right(self._outside, offset) - 1
        return self._inside[at] + offset - self._outside[at]

    def outside(self, place: int) -> int:
        """The offset in the raw text of a place in the decoded one."""
        at = bisect_right(self._inside, place) - 1
        return self._outside[at] + place - self._inside[at]
