"""A look at the first rows before a run begins: a field whose name is wrong would refuse every one of millions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from random import Random
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError, UnusableRowError
from src.modules.reparsing.domain.part import RowSource, SourceRow
from src.modules.reparsing.domain.record import FieldNames, Fields, has_field, shown_fields
from src.modules.reparsing.infrastructure.rows import row_content
from src.modules.reparsing.infrastructure.sources.jsonl import StandardInput
from src.shared.domain.language import Message, Phrase

ROWS_LOOKED_AT = 1_000
BYTES_LOOKED_AT = 64 * 1024 * 1024
"""Rows may be large: behind so many bytes no more of them are looked at."""


def check_fields(sources: Sequence[RowSource], names: FieldNames) -> None:
    """Look for the fields that are asked for, until each was seen once: as a rule that is the first row.

    The text must be there. Of the other fields those must be that were asked for under another name than usual. Rows
    that are a text alone have no fields, and rows that cannot be read are left to the run.

    Raises:
        BatchInputError: a field is in none of the first rows; it names those that are.
    """
    missing = _asked(names)
    seen: dict[str, None] = {}
    try:
        for row in _first_rows(sources):
            missing = {option: name for option, name in missing.items() if not has_field(row, name)}
            seen |= dict.fromkeys(map(str, row))
            if not missing:
                return
    except BatchInputError:  # the run tells it, and keeps what stands before
        return
    if seen:
        option, name = next(iter(missing.items()))
        raise BatchInputError.of(sources[0].name, _nowhere(option, name, shown_fields(seen)))


def _asked(names: FieldNames) -> dict[str, str]:
    """The names of the fields that have to be somewhere, by their options."""
    usual = FieldNames().by_option()
    asked = names.by_option().items()
    return {f"--{option}": name for option, name in asked if option == "text-field" or name != usual[option]}


def _first_rows(sources: Sequence[RowSource]) -> Iterator[Fields]:
    """Those of the first rows that have fields."""
    size = 0
    rows = chain.from_iterable(
        source.beginning() if isinstance(source, StandardInput) else source.rows() for source in sources
    )
    for _, (row, taken, _position) in zip(range(ROWS_LOOKED_AT), rows, strict=False):
        with contextlib.suppress(UnusableRowError):
            content = row_content(row)
            if isinstance(content, Mapping):
                yield content
        size += taken
        if size > BYTES_LOOKED_AT:
            return


def _nowhere(option: str, name: str, shown: str) -> Message:
    return Phrase(
        "there is no field {name!r} in the first rows, which have {fields}; name the field with {option}",
        name=name,
        fields=shown or Phrase("none"),
        option=option,
    )


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

    @cached_property
    def chosen(self) -> list[tuple[int, int, SourceRow]]:
        """The rows that are chosen, in order, each with its number among all rows and that of its input."""
        random = Random(_SEED).random  # noqa: S311 - the same every time is what is wanted
        drawn: dict[int, tuple[int, int, SourceRow]] = {}
        rows = ((number, row) for number, source in enumerate(self._sources) for row in source.rows())
        for count, (number, row) in enumerate(rows):
            place = count if count < self._size else int(random() * (count + 1))
            if place < self._size:
                drawn[place] = (count, number, row)
        return sorted(drawn.values(), key=lambda each: each[0])

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: with the rows, so that they are not chosen once more in each."""
        return {**self.__dict__, "chosen": self.chosen}


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
        yield from (row for _, number, row in self._sample.chosen if number == self._number)
