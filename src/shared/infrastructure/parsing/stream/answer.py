"""Reads an answer from the first character of a model's text on: what is in front of it, and then its value."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.stream.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.stream.paths import CompletePaths, all_paths
from src.shared.infrastructure.parsing.stream.prelude import Prelude
from src.shared.infrastructure.parsing.stream.text_reader import TextReader

FINE = 2_048
"""Characters of a value of which every one is shown as it comes. Of a longer one what is new is shown after at most so
much of it: each time costs a copy of what is open, and all the copies together are to be linear in the text."""
_ROOT_OF: dict[str, Root] = {"{": "object", "｛": "object", "[": "array", "［": "array"}


class StreamState(StrEnum):
    """How far an answer is read.

    .. versionadded:: 0.1.0
    """

    WAITING = "waiting"
    """Nothing of it is certain yet: reasoning, prose, a heading."""
    READING = "reading"
    """It is read as it comes."""
    UNSURE = "unsure"
    """It could be read in more than one way: nothing more is shown until the whole text is there."""
    DONE = "done"
    """Its value is at its end."""


def _last_shown(length: int) -> int:
    """The last length, up to this one, at which a value shows what is new of it."""
    return length if length < FINE else length & -(1 << (length.bit_length() - FINE.bit_length() + 1))


class AnswerReader:
    """Reads one answer. What it holds depends on the text so far alone, not on its pieces.

    Attributes:
        length: characters so far.
        end: the offset after the value, once it is there.
        data: what is certain, as plain dicts and lists; None while nothing is. The same object until something changes.
        touched: the paths that appeared, grew or became whole with the last piece.
    """

    def __init__(
        self,
        roots: frozenset[Root],
        fields: frozenset[str],
        expected: Expected = ANYTHING,
        *,
        as_written: bool = False,
    ) -> None:
        """Begin at the beginning.

        Args:
            roots: what the type is read from.
            fields: the names the type knows at its root; an object without any of them is another one's.
            expected: what the type says of the value.
            as_written: whether numbers keep their digits.
        """
        self._roots = roots
        self._fields = fields
        self._prelude: Prelude | None = Prelude(fields)
        self._value = TextReader(expected, as_written=as_written)
        self._is_other = False
        self._is_ours = not fields
        self.length = 0
        self.end: int | None = None
        self.data: Any = None
        self.touched: tuple[str, ...] = ()
        self._begins = self._read = self._whole = 0
        self._written = ("", 0)

    def feed(self, chunk: str) -> None:
        """Read more of the text."""
        self.touched = ()
        self.length += len(chunk)
        text = self._of_value(chunk)
        if not text:
            return
        shown = max(_last_shown(self._read + len(text)) - self._read, 0)
        if shown:
            self._take_up(text[:shown])
            self._show()
        if shown < len(text) and not self._has_ended():
            self._take_up(text[shown:])
            if self._has_ended():
                self._show()

    def _of_value(self, chunk: str) -> str | None:
        """What of the next piece belongs to the value; None for nothing."""
        if self._has_ended():
            return None
        if self._prelude is None:
            return chunk
        text = self._prelude.feed(chunk)
        if text is None:
            return None
        self._prelude = None
        self._begins = self.length - len(text)
        self._is_other = _ROOT_OF[text[0]] not in self._roots
        return None if self._is_other else text

    def _take_up(self, text: str) -> None:
        """Read more of the value."""
        end = self._value.feed(text)
        if end is not None:
            self.end = self._begins + self._read + end
        self._read += len(text)

    def _show(self) -> None:
        """Show what became certain since the last time."""
        tree = self._value.tree
        tree.place_string()
        path, length = self._written
        self._written = (tree.string.path, tree.string.shown) if tree.string else ("", 0)
        if self._written[1] > (length if self._written[0] == path else 0):
            tree.touched.append(self._written[0])
        if not (self._is_ours or self._fields.isdisjoint(self._value.first_keys)):
            self._is_ours = True
            tree.touched[:] = () if tree.root is None else all_paths(tree.snapshot())
        if self._is_ours:
            if tree.touched:
                self.data = tree.snapshot()
            self.touched = tuple(dict.fromkeys(tree.touched))
            self._whole = len(tree.complete)
        tree.touched.clear()

    @property
    def state(self) -> StreamState:
        """How far the answer is read."""
        if self._is_other or self._value.is_unsure or (self._prelude and self._prelude.is_unsure):
            return StreamState.UNSURE
        if self._value.is_done:
            return StreamState.DONE if self._is_ours else StreamState.UNSURE
        return StreamState.WAITING if self._prelude or not self._is_ours else StreamState.READING

    def _has_ended(self) -> bool:
        """Whether nothing more is read, whatever comes."""
        return self.state in (StreamState.UNSURE, StreamState.DONE)

    @property
    def complete(self) -> CompletePaths:
        """The paths of what is whole."""
        return CompletePaths(self._value.tree.complete, self._whole)
