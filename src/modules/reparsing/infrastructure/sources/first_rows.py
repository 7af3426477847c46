"""Which rows are looked at before a run begins, and which of them a run over a sample reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from random import Random
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.record import FieldNames, Fields, Row, fields_of, has_field, list_fields
from src.shared.domain.language import Phrase

ROWS_LOOKED_AT = 1_000
BYTES_LOOKED_AT = 64 * 1024 * 1024
"""Rows may be large: behind so many bytes no more of them are looked at."""


def check_fields(sources: Sequence[RowSource], names: FieldNames) -> None:
    """Look for the fields that are asked for, until each was seen once: as a rule that is the first row.

    A field whose name is wrong would refuse every one of millions. The text must be there. Of the other fields those
    must be that were asked for under another name than usual. Rows that are a text alone have no fields, and rows that
    cannot be read are left to the run.

    Raises:
        BatchInputError: a field is in none of the first rows; it names those that are.
    """
    usual, asked = FieldNames().by_option(), names.by_option()
    missing = {option: name for option, name in asked.items() if option == "text-field" or name != usual[option]}
    seen: dict[str, None] = {}
    try:
        for fields in _first_fields(sources):
            missing = {option: name for option, name in missing.items() if not has_field(fields, name)}
            seen |= dict.fromkeys(map(str, fields))
            if not missing:
                return
    except BatchInputError:  # the run tells it, and keeps what stands before
        return
    if seen:
        option, name = next(iter(missing.items()))
        why = Phrase(
            "there is no field {name!r} in the first rows, which have {fields}; name the field with {option}",
            name=name,
            fields=list_fields(seen),
            option=f"--{option}",
        )
        raise BatchInputError.of(sources[0].name, why)


def _first_fields(sources: Sequence[RowSource]) -> Iterator[Fields]:
    """Those of the first rows that have fields."""
    size = 0
    rows = chain.from_iterable((source.first_rows or source.rows)() for source in sources)
    for row in islice(rows, ROWS_LOOKED_AT):
        fields = fields_of(row)
        if isinstance(fields, Mapping):
            yield fields
        size += row.size
        if size > BYTES_LOOKED_AT:
            return


_SEED = 20260101


def sample_rows(sources: Sequence[RowSource], size: int) -> list[RowSource]:
    """The inputs with so many of their rows, in the order of the inputs; with all where they have fewer.

    All inputs are read to their end when the first row is asked for; the rows that are chosen are kept in memory.
    """
    sample = _Sample(sources, size)
    return [replace(source, rows=partial(sample.rows_of, number)) for number, source in enumerate(sources)]


@dataclass(frozen=True)
class _Sample:
    """Chooses by a reservoir (Vitter's algorithm R), in one pass."""

    sources: Sequence[RowSource]
    size: int

    @cached_property
    def chosen(self) -> list[tuple[int, int, Row]]:
        """The rows that are chosen, in order, each with its number among all rows and that of its input."""
        random = Random(_SEED).random  # noqa: S311 - the same every time is what is wanted
        drawn: dict[int, tuple[int, int, Row]] = {}
        rows = ((number, row) for number, source in enumerate(self.sources) for row in source.rows())
        for count, (number, row) in enumerate(rows):
            place = count if count < self.size else int(random() * (count + 1))
            if place < self.size:
                drawn[place] = (count, number, row)
        return sorted(drawn.values(), key=lambda each: each[0])

    def rows_of(self, number: int) -> Iterator[Row]:
        """As `RowSource.rows`, of an input by its number."""
        yield from (row for _, source, row in self.chosen if source == number)

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: with the rows, so that they are not chosen once more in each."""
        return {**self.__dict__, "chosen": self.chosen}
