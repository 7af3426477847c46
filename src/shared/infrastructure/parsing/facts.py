"""What a snapshot of a stream tells: data, the paths of what is whole, how far the answer is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from enum import StrEnum
from itertools import islice
from typing import Any

from src.shared.infrastructure.parsing.paths import Place, path_of


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


class Facts:
    """What a snapshot tells.

    Attributes:
        data: what is certain, as plain dicts and lists; None while nothing is.
        complete: the paths of what is whole.
        state: how far the answer is read.
        end: the offset after the value, once it is there.
        touched: the places that appeared, grew or became whole with the last piece.
    """

    __slots__ = ("complete", "data", "end", "state", "touched")

    def __init__(
        self,
        data: Any,  # noqa: ANN401 - decoded JSON
        complete: AbstractSet[str],
        state: StreamState,
        end: int | None,
        touched: Iterable[Place] = (),
    ) -> None:
        self.data, self.complete, self.state, self.end, self.touched = data, complete, state, end, touched

    @property
    def changed(self) -> tuple[str, ...]:
        """The paths of what was touched."""
        return tuple(dict.fromkeys(map(path_of, self.touched)))

    def unchanged(self) -> Facts:
        """The same, when nothing new has come."""
        return Facts(self.data, self.complete, self.state, self.end) if self.touched else self


class PathIndex:
    """The paths of places that are found one after the other, each written when somebody asks for it."""

    def __init__(self, places: list[Place]) -> None:
        """Take the list of the places, which grows."""
        self._places = places
        self._at: dict[str, int] = {}
        self._paths: list[str] = []

    def number(self, path: str, count: int) -> int:
        """Which of the first so many a path is; `count` where it is none of them."""
        self._write(count)
        return self._at.get(path, count)

    def first(self, count: int) -> Iterator[str]:
        """The first so many, in their order, whatever is found meanwhile."""
        self._write(count)
        return islice(self._paths, count)

    def _write(self, count: int) -> None:
        for number in range(len(self._paths), count):
            self._paths.append(path_of(self._places[number]))
            self._at.setdefault(self._paths[-1], number)


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
        return isinstance(path, str) and self._found.number(path, self._count) < self._count

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
