"""Reads an answer from the first character of a model's text on: what is in front of it, and then its value."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.stream.complete_paths import CompletePaths
from src.shared.infrastructure.parsing.stream.paths import all_paths
from src.shared.infrastructure.parsing.stream.prelude import Prelude
from src.shared.infrastructure.parsing.stream.text_reader import TextReader

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


class AnswerReader:
    """Reads one answer. What it holds depends on the text so far alone, not on its pieces.

    Attributes:
        length: characters so far.
        end: the offset after the value, once it is there.
    """

    def __init__(
        self,
        roots: frozenset[Root],
        fields: frozenset[str],
        names: frozenset[str] | None = None,
        *,
        as_written: bool = False,
    ) -> None:
        """Begin at the beginning.

        Args:
            roots: what the type is read from.
            fields: the names the type knows at its root; an object without any of them is another one's.
            names: the names of all fields in the type; None where they are not known.
            as_written: whether numbers keep their digits.
        """
        self._roots = roots
        self._fields = fields
        self._prelude: Prelude | None = Prelude(fields)
        self._value = TextReader(names, as_written=as_written)
        self._is_other = False
        self._is_ours = not fields
        self.length = 0
        self.end: int | None = None
        self._written = ""
        self._data: Any = None
        self._is_old = False

    def feed(self, chunk: str) -> None:
        """Read more of the text."""
        tree = self._value.tree
        tree.touched.clear()
        shown = tree.string.shown if tree.string else 0
        self._read(chunk)
        self.length += len(chunk)
        if tree.string and tree.string.shown > (shown if tree.string.path == self._written else 0):
            tree.touched.append(tree.string.path)
        self._written = tree.string.path if tree.string else ""
        if not self._is_ours and not self._fields.isdisjoint(self._value.first_keys):
            self._is_ours = True
            tree.touched[:] = () if tree.root is None else all_paths(tree.snapshot())
        self._is_old = self._is_old or bool(tree.touched)

    def _read(self, chunk: str) -> None:
        if self.state in (StreamState.UNSURE, StreamState.DONE):
            return
        text = chunk
        if self._prelude:
            begun = self._prelude.feed(chunk)
            if begun is None:
                return
            self._prelude = None
            if _ROOT_OF[begun[0]] not in self._roots:
                self._is_other = True
                return
            text = begun
        end = self._value.feed(text)
        if end is not None:
            self.end = self.length + len(chunk) - len(text) + end

    @property
    def state(self) -> StreamState:
        """How far the answer is read."""
        if self._is_other or self._value.is_unsure or (self._prelude and self._prelude.is_unsure):
            return StreamState.UNSURE
        if self._value.is_done:
            return StreamState.DONE if self._is_ours else StreamState.UNSURE
        return StreamState.WAITING if self._prelude or not self._is_ours else StreamState.READING

    @property
    def data(self) -> Any:  # noqa: ANN401 - decoded JSON
        """What is certain, as plain dicts and lists; None while nothing is. The same object until something changes."""
        if self._is_old:
            self._data, self._is_old = self._value.tree.snapshot(), False
        return self._data if self._is_ours else None

    @property
    def complete(self) -> CompletePaths:
        """The paths of what is whole."""
        found = self._value.tree.complete
        return CompletePaths(found, len(found) if self._is_ours else 0)

    @property
    def touched(self) -> tuple[str, ...]:
        """The paths that appeared, grew or became whole with the last piece."""
        return tuple(dict.fromkeys(self._value.tree.touched)) if self._is_ours else ()
