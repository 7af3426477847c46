"""Where rows come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from src.modules.reparsing.domain.record import RawRow


class SourceRow(NamedTuple):
    """A row, and how far the source is with it.

    Attributes:
        row: the row.
        size: bytes it takes, about.
        position: how much of the source's `total` is read with it.
    """

    row: RawRow
    size: int
    position: int


class RowSource(Protocol):
    """One input. It gives the same rows each time, in the same order."""

    @property
    def name(self) -> str:
        """As the user wrote it."""
        ...

    @property
    def total(self) -> int:
        """How long it is, in the units of `SourceRow.position`; 0 where that is not known."""
        ...

    @property
    def repeatable(self) -> bool:
        """Whether it can be read any number of times; else once, and its identity tells of its beginning alone."""
        ...

    def identity(self) -> dict[str, Any]:
        """What tells this input from another of the same name, as JSON types.

        Raises:
            BatchInputError: it cannot be read.
        """
        ...

    def rows(self) -> Iterator[SourceRow]:
        """The rows, from the first. Not more than a bounded number of them is in memory.

        Raises:
            BatchInputError: it cannot be read to its end.
        """
        ...
