"""At which lengths of a text what is new of it is looked at: at every one of a short text, in steps of a long one."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.reading.signs import CLOSERS

FINE = 512
"""Characters of which every one is looked at as it comes. What is new of a longer text is looked at after at most a
`PARTS`th of it: each look costs a copy of what is open, and all of them together are to cost little."""
PARTS = 64
_SHIFT = PARTS.bit_length()


class Steps:
    """The pieces of a text that opens with a bracket, up to its closing one.

    Attributes:
        length: how long it is so far.
        closers: how many closing brackets have to come before it can be at its end.
    """

    def __init__(self) -> None:
        """Begin before the text."""
        self.length = self.closers = self._given = self._next = 0
        self._waiting: list[str] = []

    def waits(self, piece: str) -> bool:
        """Take a piece; whether nothing is to be looked at yet."""
        self.length += len(piece)
        self._waiting.append(piece)
        if self.length >= self._next:
            return False
        if not ("}" in piece or "]" in piece or "｝" in piece or "］" in piece):
            return True
        self.closers -= _count_closers(piece)
        return self.closers > 0

    def parts(self) -> Iterator[tuple[str, bool]]:
        """What waits, up to the last step and behind it, and whether it ends with a step.

        What is behind is only given up to a closing bracket at which the text may be at its end.
        """
        text = "".join(self._waiting)
        self._waiting.clear()
        last, step = self.length, 1
        if last >= FINE:
            step = 1 << (last.bit_length() - _SHIFT)
            last &= -step
        self._next = last + step
        if last > self._given:
            new, text = text[: last - self._given], text[last - self._given :]
            self._given = last
            yield new, True
        if text:
            self.closers -= _count_closers(text)
            end = 0 if self.closers > 0 else 1 + max(map(text.rfind, CLOSERS))
            self._waiting.append(text[end:])
            if end:
                self._given += end
                yield text[:end], False


def _count_closers(text: str) -> int:
    return sum(map(text.count, CLOSERS))
