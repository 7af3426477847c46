"""Reads an answer from the first character of a model's text on: what is in front of it, and then its value."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from src.shared.domain.exceptions import Place
from src.shared.domain.reading.fed import Fed
from src.shared.domain.reading.signs import OPENERS
from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.paths import path_of, places_in
from src.shared.infrastructure.parsing.stream.prelude import Prelude, Steps
from src.shared.infrastructure.parsing.stream.tree import Tree

_OF_A_SCHEMA = "properties"
"""The key that shows that a schema was handed back, where the type has no such field."""


class AnswerReader:
    """Reads one answer. What it tells depends on the text so far alone, not on its pieces.

    Attributes:
        until: how long the text has to be before it tells something else, if no closing bracket comes before.
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
        self._openers = {bracket for bracket, root in (("{", "object"), ("[", "array")) if root in roots}
        self._fields, self._reads_escapes = fields, reads_escapes
        self._prelude: Prelude | None = Prelude(fields)
        self._begins = self.until = 0
        self._steps, self._fed, self._tree = Steps(), Fed(as_written=as_written), Tree(expected)
        self._paths = PathIndex(self._tree.complete)
        self._facts = Facts(None, CompletePaths(self._paths, 0), StreamState.WAITING, None)
        self._touched: list[Place] = []
        self._may_be_schema = bool(fields) and _OF_A_SCHEMA not in fields
        self._is_ours, self._is_over = not fields, False

    def feed(self, chunk: str) -> Facts:
        """Read more of the text; what is certain of it."""
        before, self._touched = self._facts, []
        if self._is_over:
            chunk = ""
        backslash = ""
        if self._reads_escapes:
            chunk, backslash, _ = chunk.partition("\\")
        if self._prelude and chunk:
            text = self._prelude.feed(chunk) or ""
            self._begins += len(chunk) - len(text)
            if self._prelude.is_unsure or (text and OPENERS[text[0]] not in self._openers):
                self._stop()
            elif text:
                self._prelude = None
                self._read(text)
        elif chunk:
            self._read(chunk)
        if backslash and not self._is_over:
            self._stop()
        if self._facts is before and before.touched:
            self._facts = before._replace(touched=())
        return self._facts

    def _stop(self) -> None:
        """Nothing more is read, whatever comes."""
        self._is_over, self.until = True, sys.maxsize
        self._facts = self._facts._replace(state=StreamState.UNSURE, touched=self._touched)

    def _read(self, piece: str) -> None:
        """Read more of the value, and show what is new of it at a step, and at its end."""
        steps, fed = self._steps, self._fed
        new = steps.step(piece)
        if new and (self._take(new) or fed.end >= 0):
            self._show()
        if not self._is_over and (rest := steps.rest()):
            self._take(rest)
            if fed.end >= 0:
                self._show()
        if self._is_over:
            self.until = sys.maxsize
        elif not self._reads_escapes:
            self.until = self._begins + steps.next

    def _take(self, text: str) -> bool:
        """Take up more of the value; whether something of it may be new."""
        fed, tree = self._fed, self._tree
        tokens = fed.feed(text)
        if tokens is None and (is_more := tree.grow(text)) is not None:
            return is_more or bool(tree.touched)
        tree.take(tokens or (), fed.item, fed.text)
        self._steps.closers = len(tree.frames)
        return True

    def _show(self) -> None:
        """Show what became certain since the last time."""
        tree, fed, facts = self._tree, self._fed, self._facts
        if self._may_be_schema and _OF_A_SCHEMA in tree.first_keys:
            self._stop()
            return
        if not self._is_ours:  # nothing is shown before one of the type's fields is there, and then all that was read
            tree.touched.clear()
            self._is_ours = not self._fields.isdisjoint(tree.first_keys)
            if self._is_ours and tree.root is not None:
                tree.touched += places_in(tree.snapshot())
        self._is_over = tree.is_unsure or fed.end >= 0
        if self._is_over:
            state = StreamState.DONE if self._is_ours and not tree.is_unsure else StreamState.UNSURE
        elif self._is_ours:
            state = StreamState.UNSURE if fed.is_waiting else StreamState.READING
        else:
            state = StreamState.WAITING
        complete, data = facts.complete, facts.data
        if tree.touched:
            complete = CompletePaths(self._paths, len(tree.complete))
            data = tree.snapshot() if tree.has_grown else data
            self._touched += tree.touched
            tree.touched, tree.has_grown = [], False
        elif state is facts.state:
            return
        end = self._begins + fed.end if fed.end >= 0 else None
        self._facts = Facts(data, complete, state, end, self._touched)


class StreamState(StrEnum):
    """How far an answer is read.

    .. versionadded:: 0.1.0
    """

    WAITING = "waiting"
    """Nothing of it is certain yet: reasoning, prose, a heading."""
    READING = "reading"
    """It is read as it comes."""
    UNSURE = "unsure"
    """It could be read in more than one way: nothing more is shown until more of the text, or all of it, is there."""
    DONE = "done"
    """Its value is at its end."""


class Facts(NamedTuple):
    """What a snapshot tells.

    Attributes:
        data: what is certain, as plain dicts and lists; None while nothing is.
        complete: the paths of what is whole.
        state: how far the answer is read.
        end: the offset after the value, once it is there.
        touched: the places that appeared, grew or became whole with the last piece.
    """

    data: Any
    complete: AbstractSet[str]
    state: StreamState
    end: int | None
    touched: Sequence[Place] = ()


class PathIndex:
    """The paths of places that are found one after the other, each written when somebody asks for it.

    Attributes:
        numbers: which one each path is that was written.
    """

    def __init__(self, places: list[Place]) -> None:
        """Take the list of the places, which grows."""
        self._places = places
        self.numbers: dict[str, int] = {}
        self._paths: list[str] = []

    def first(self, count: int) -> Iterator[str]:
        """The first so many, in their order, whatever is found meanwhile."""
        for number in range(len(self._paths), count):
            self._paths.append(path_of(self._places[number]))
            self.numbers.setdefault(self._paths[-1], number)
        return islice(self._paths, count)


class CompletePaths(AbstractSet[str]):
    """The paths of whole values: those among the first so many that a reader found. Nothing is copied."""

    __slots__ = ("_count", "_found")

    def __init__(self, found: PathIndex, count: int) -> None:
        self._found = found
        self._count = count

    @classmethod
    def _from_iterable(cls, paths: Iterable[Any]) -> frozenset[Any]:
        """What is made of two sets is a set of its own."""
        return frozenset(paths)

    def __contains__(self, path: object) -> bool:
        """Whether the value at a path is whole."""
        self._found.first(self._count)
        return isinstance(path, str) and self._found.numbers.get(path, self._count) < self._count

    def __iter__(self) -> Iterator[str]:
        """In the order in which they became so."""
        return self._found.first(self._count)

    def __len__(self) -> int:
        """How many."""
        return self._count

    def __repr__(self) -> str:
        """As a set's."""
        return f"{{{', '.join(map(repr, self))}}}"

    def __hash__(self) -> int:
        """As a frozenset's."""
        return hash(frozenset(self))
