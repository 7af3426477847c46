"""Reads an answer from the first character of a model's text on: what is in front of it, and then its value."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from src.shared.domain.engine.signs import OPENERS
from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.stream.paths import CompletePaths, all_paths
from src.shared.infrastructure.parsing.stream.prelude import Prelude
from src.shared.infrastructure.parsing.stream.text_reader import TextReader
from src.shared.infrastructure.parsing.stream.tree import Tree

FINE = 2_048
"""Characters of a value of which every one is shown as it comes. Of a longer one what is new is shown after at most so
much of it: each time costs a copy of what is open, and all the copies together are to be linear in the text."""


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


_OF_A_SCHEMA = "properties"
"""The key that shows that a schema was handed back, where the type has no such field."""
_OVER = frozenset({StreamState.UNSURE, StreamState.DONE})
"""Nothing more is read then, whatever comes."""


def _last_shown(length: int) -> int:
    """The last length, up to this one, at which a long value shows what is new of it."""
    return length & -(1 << (length.bit_length() - FINE.bit_length() + 1))


class AnswerReader:
    """Reads one answer. What it holds depends on the text so far alone, not on its pieces.

    Attributes:
        state: how far it is read.
        length: characters so far.
        end: the offset after the value, once it is there.
        data: what is certain, as plain dicts and lists; None while nothing is. The same object until something changes.
        complete: the paths of what is whole.
        touched: the paths that appeared, grew or became whole with the last piece.
    """

    def __init__(
        self,
        roots: frozenset[Root],
        fields: frozenset[str],
        expected: Expected = ANYTHING,
        *,
        as_written: bool = False,
        reads_escapes: bool = False,
    ) -> None:
        """Begin at the beginning.

        Args:
            roots: what the type is read from.
            fields: the names the type knows at its root; an object without any of them is another one's.
            expected: what the type says of the value.
            as_written: whether numbers keep their digits.
            reads_escapes: whether a backslash may be read otherwise than JSON says, once the whole text is there.
        """
        self._reads_escapes = reads_escapes
        self._openers = {bracket for bracket, root in (("{", "object"), ("[", "array")) if root in roots}
        self._fields = fields
        self._prelude: Prelude | None = Prelude(fields)
        self._value = TextReader(expected, as_written=as_written)
        self._is_ours = not fields
        self.state = StreamState.WAITING
        self.length = 0
        self.end: int | None = None
        self.data: Any = None
        self.complete = CompletePaths(self._value.tree.complete, 0)
        self.touched: tuple[str, ...] = ()
        self._begins = self._read = 0

    def feed(self, chunk: str) -> None:
        """Read more of the text."""
        self.touched = ()
        self.length += len(chunk)
        if self.state in _OVER:
            return
        chunk, backslash, _ = chunk.partition("\\") if self._reads_escapes else (chunk, "", "")
        self._take(chunk)
        if backslash and self.state not in _OVER:
            self.state = StreamState.UNSURE

    def _take(self, chunk: str) -> None:
        text = self._of_value(chunk) if self._prelude else chunk
        if not text:
            return
        read = self._read + len(text)
        shown = (read if read < FINE else max(_last_shown(read), self._read)) - self._read
        if shown:
            self._take_up(text[:shown])
            self._show()
        if shown < len(text) and not self._has_ended():
            self._take_up(text[shown:])
            if self._has_ended():
                self._show()

    def _of_value(self, chunk: str) -> str | None:
        """What of the next piece belongs to the value; None for nothing."""
        prelude = self._prelude
        text = prelude.feed(chunk) if prelude else None
        if text is None:
            self.state = StreamState.UNSURE if prelude and prelude.is_unsure else self.state
            return None
        if OPENERS[text[0]] not in self._openers:
            self.state = StreamState.UNSURE
            return None
        self._prelude = None
        self._begins = self.length - len(text)
        self.state = StreamState.READING if self._is_ours else StreamState.WAITING
        return text

    def _take_up(self, text: str) -> None:
        """Read more of the value."""
        end = self._value.feed(text)
        if end is not None:
            self.end = self._begins + self._read + end
        self._read += len(text)

    def _has_ended(self) -> bool:
        """Whether nothing more is read, whatever comes."""
        return self._value.is_unsure or self._value.is_done

    def _show(self) -> None:
        """Show what became certain since the last time."""
        tree = self._value.tree
        if self._fields and _OF_A_SCHEMA in self._value.first_keys and _OF_A_SCHEMA not in self._fields:
            self.state = StreamState.UNSURE
            return
        tree.show_string()
        if not self._is_ours:
            self._find_ours(tree)
        if self._has_ended():
            is_done = self._value.is_done and self._is_ours
            self.state = StreamState.DONE if is_done else StreamState.UNSURE
        if not tree.touched:
            return
        if tree.has_grown:
            self.data = tree.snapshot()
            tree.has_grown = False
        self.touched = tuple(dict.fromkeys(tree.touched))
        tree.touched.clear()
        self.complete = CompletePaths(tree.complete, len(tree.complete))

    def _find_ours(self, tree: Tree) -> None:
        """Nothing is shown before one of the type's fields is there, and then all that was read."""
        tree.touched.clear()
        if not self._fields.isdisjoint(self._value.first_keys):
            self._is_ours, self.state = True, StreamState.READING
            tree.touched += () if tree.root is None else all_paths(tree.snapshot())
