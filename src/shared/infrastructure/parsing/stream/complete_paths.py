"""The paths of the values that are whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any


class CompletePaths(AbstractSet[str]):
    """The paths of whole values: those among the first so many that a reader found. Nothing is copied."""

    __slots__ = ("_count", "_found")

    def __init__(self, found: dict[str, int], count: int) -> None:
        self._found = found
        self._count = count

    @classmethod
    def _from_iterable(cls, paths: Iterable[Any]) -> frozenset[Any]:
        """What is made of two sets is a set of its own."""
        return frozenset(paths)

    def __contains__(self, path: object) -> bool:
        """Whether the value at a path is whole."""
        return path in self._found and self._found[str(path)] < self._count

    def __iter__(self) -> Iterator[str]:
        """In the order in which they became so."""
        return islice(self._found, self._count)

    def __len__(self) -> int:
        """How many."""
        return self._count

    def __repr__(self) -> str:
        """As a set's."""
        return f"{{{', '.join(map(repr, self))}}}"

    def __hash__(self) -> int:
        """As a frozenset's."""
        return hash(frozenset(self))
