"""A sample of the rows of all inputs: each row has the same chance, and the same ones are chosen every time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from src.modules.reparsing.domain.ports.rows import RowSource, SourceRow

_SEED = 20260101


def sampled(sources: Sequence[RowSource], size: int) -> list[RowSource]:
    """The inputs with so many of their rows, in the order of the inputs; with all where they have fewer.

    All inputs are read to their end when the first row is asked for; the rows that are chosen are kept in memory.
    """
    sample = _Sample(sources, size)
    return [_SampledSource(sample, number, source) for number, source in enumerate(sources)]


class _Sample:
    """Chooses by a reservoir (Vitter's algorithm R), in one pass."""

    def __init__(self, sources: Sequence[RowSource], size: int) -> None:
        self._sources = sources
        self._size = size
        self._chosen: list[tuple[int, int, SourceRow]] | None = None

    def chosen(self, source: int) -> Iterator[SourceRow]:
        """The rows of one input that are chosen."""
        return (row for _, number, row in self._all() if number == source)

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: with the rows, so that they are not chosen once more in each."""
        self._all()
        return self.__dict__

    def _all(self) -> list[tuple[int, int, SourceRow]]:
        if self._chosen is None:
            self._chosen = sorted(self._drawn(), key=lambda drawn: drawn[0])
        return self._chosen

    def _drawn(self) -> list[tuple[int, int, SourceRow]]:
        random = Random(_SEED).random  # noqa: S311 - the same every time is what is wanted
        drawn: list[tuple[int, int, SourceRow]] = []
        count = 0
        for number, source in enumerate(self._sources):
            for row in source.rows():
                if count < self._size:
                    drawn.append((count, number, row))
                else:
                    place = int(random() * (count + 1))
                    if place < self._size:
                        drawn[place] = (count, number, row)
                count += 1
        return drawn


class _SampledSource:
    """As `RowSource`: an input with the rows that are chosen of it."""

    def __init__(self, sample: _Sample, number: int, source: RowSource) -> None:
        self.name = source.name
        self.repeatable = source.repeatable
        self._sample = sample
        self._number = number
        self._source = source

    @property
    def total(self) -> int:
        """As `RowSource.total`."""
        return self._source.total

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return self._source.identity()

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        yield from self._sample.chosen(self._number)
