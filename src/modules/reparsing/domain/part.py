"""The parts of a run: its rows in pieces, each read whole and written whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from src.modules.reparsing.domain.ports.rows import RowSource
from src.modules.reparsing.domain.record import RawRow
from src.modules.reparsing.domain.tally import Tally

PART_ROWS = 1_000
"""Most rows of a part."""
PART_BYTES = 4 * 1024 * 1024
"""A part ends with the row that makes it larger than this."""


class PartId(NamedTuple):
    """Which part: the number of the input and the number of the part in it, both from 0. Parts sort as their rows."""

    source: int
    number: int


class Part(NamedTuple):
    """Rows that are read together.

    Attributes:
        id: which part.
        rows: at least one.
        position: how much of the source's `total` is read with them.
    """

    id: PartId
    rows: tuple[RawRow, ...]
    position: int


class PartResult(NamedTuple):
    """What came of a part: lines of JSON, in the order of the rows.

    Attributes:
        id: which part.
        position: as in `Part`.
        parsed: a line for each text that was read.
        refused: a line for each of the others.
        compared: a line for each text, where an old parser stands beside; otherwise empty.
        tally: the counts.
    """

    id: PartId
    position: int
    parsed: bytes
    refused: bytes
    compared: bytes
    tally: Tally


def parts_of(source: RowSource, number: int) -> Iterator[Part]:
    """The parts of an input. They depend on its rows alone, so that every run cuts it in the same way.

    Args:
        source: the input.
        number: its number among the inputs of the run, from 0.

    Raises:
        BatchInputError: it cannot be read to its end.
    """
    rows: list[RawRow] = []
    size = count = 0
    for row, length, position in source.rows():
        rows.append(row)
        size += length
        if len(rows) >= PART_ROWS or size >= PART_BYTES:
            yield Part(PartId(number, count), tuple(rows), position)
            rows, size, count = [], 0, count + 1
    if rows:
        yield Part(PartId(number, count), tuple(rows), source.total)
