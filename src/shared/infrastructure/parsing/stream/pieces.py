"""The pieces of a text as they came, and what is certain of the answer after each of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.parsing.expected import ANYTHING, expected_of
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.stream.answer import AnswerReader, StreamState
from src.shared.infrastructure.parsing.stream.paths import all_paths, changed_paths
from src.shared.infrastructure.parsing.target_type import target_type


class Facts(NamedTuple):
    """What a snapshot tells; `end` is the offset after the value, if it is there."""

    data: Any
    complete: AbstractSet[str]
    state: StreamState
    changed: tuple[str, ...]
    end: int | None = None


_BLOCK = 64
"""Pieces that are kept as one string: each by itself would take ten times its text."""


class Texts:
    """The texts of pieces, one after the other.

    Attributes:
        count: how many pieces there are.
        newest: the text of the last one.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self.count = 0
        self.newest = ""
        self._blocks: list[str] = []
        self._last: list[str] = []
        self._lengths = array("L")

    def append(self, text: str) -> None:
        """One piece more."""
        self.newest = text
        self.count += 1
        self._last.append(text)
        self._lengths.append(len(text))
        if len(self._last) == _BLOCK:
            self._blocks.append("".join(self._last))
            self._last.clear()

    def between(self, first: int, end: int) -> str:
        """The text of the pieces from one to before another, counted from 0."""
        block = first // _BLOCK
        text = "".join(
            (*self._blocks[block : end // _BLOCK + 1], *(self._last if end > self.count - len(self._last) else ()))
        )
        before = sum(self._lengths[block * _BLOCK : first])
        return text[before : before + sum(self._lengths[first:end])]


class Pieces:
    """The pieces of one text, and a reader that goes along them when somebody looks."""

    def __init__(self, dto_type: AnswerType[Any], normalizers: Sequence[Normalizer]) -> None:
        """Begin without a piece."""
        self.texts = Texts()
        self.normalizers = normalizers
        self._dto_type = dto_type
        self._target = target_type(dto_type)
        self._reader = self._new_reader()
        self._read = 0
        self._typed: dict[int | None, Any] = {}

    def text(self, end: int | None = None) -> str:
        """The whole text so far, or up to an offset."""
        return self.texts.between(0, self.texts.count)[:end]

    def facts_after(self, count: int) -> Facts:
        """What is certain after so many pieces.

        The reader goes on from where it is; for an earlier place it begins anew. Pieces that nobody looked at are
        read as one; the last is read by itself, since `changed` tells of it.
        """
        if count < self._read:
            self._reader, self._read = self._new_reader(), 0
        reader = self._reader
        if self._read < count:
            if self._read < count - 1:
                reader.feed(self.texts.between(self._read, count - 1))
            reader.feed(self.texts.newest if count == self.texts.count else self.texts.between(count - 1, count))
            self._read = count
        return Facts(reader.data, reader.complete, reader.state, reader.touched, reader.end)

    def typed(self, end: int | None) -> Any:  # noqa: ANN401 - an object of the type
        """The object of the text up to the end of its value, where a parser would read it; else None."""
        if end not in self._typed:
            text = self.text(end)
            self._typed[end] = inspect(text, self._dto_type, normalizers=self.normalizers, finished=True).value
        return self._typed[end]

    def facts_of_whole(self, data: object) -> Facts:
        """What is known of an answer that was read to its end."""
        shown = self.facts_after(self.texts.count)
        complete = frozenset(all_paths(data))
        return Facts(data, complete, StreamState.DONE, tuple(changed_paths(shown.data, data, shown.complete)))

    def _new_reader(self) -> AnswerReader:
        """A hook may rename keys: then those of the type say nothing yet."""
        fields = frozenset[str]() if self.normalizers else self._target.own_keys
        expected = ANYTHING if self.normalizers else expected_of(self._dto_type)
        target = self._target
        reads_escapes = target.read_as.escapes != "json" or bool(target.field_escapes)
        return AnswerReader(
            target.roots, fields, expected, as_written=target.reads_decimals, reads_escapes=reads_escapes
        )
