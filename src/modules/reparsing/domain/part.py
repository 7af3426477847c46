"""The parts of a run: its rows in pieces, each read whole and written whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeAlias

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.outcome import TextNote
from src.modules.reparsing.domain.record import RawRow
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.language import Phrase


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
        digest: a hash of the rows, so that a run that goes on knows whether they are still the same.
    """

    id: PartId
    rows: tuple[RawRow, ...]
    position: int
    digest: str


class PartResult(NamedTuple):
    """What came of a part: lines of JSON, in the order of the rows.

    Attributes:
        id: which part.
        position: as in `Part`.
        parsed: a line for each text that was read.
        refused: a line for each of the others.
        compared: a line for each text, where an old parser stands beside; otherwise empty.
        tally: the counts.
        digest: as in `Part`.
        notes: of the texts, in order, where somebody wants them.
    """

    id: PartId
    position: int
    parsed: bytes
    refused: bytes
    compared: bytes
    tally: Tally
    digest: str = ""
    notes: tuple[TextNote, ...] = ()


Done: TypeAlias = Mapping[PartId, str]
"""The parts that need not be read, by what their rows were."""


def parts_to_read(source: RowSource, number: int, done: Done) -> Iterator[Part]:
    """The parts of an input that are not done yet. The rows of the others are still those that were read.

    Raises:
        BatchInputError: they are not, or the input cannot be read to its end.
    """
    last = max((part.number for part in done if part.source == number), default=-1)
    for part in parts_of(source, number):
        last = -1 if part.id.number >= last else last
        if part.id not in done:
            yield part
        elif part.digest != done[part.id]:
            raise _changed(source, part.rows[0].place)
    if last >= 0:
        raise _changed(source, source.name)


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
            yield _part(PartId(number, count), rows, position)
            rows, size, count = [], 0, count + 1
    if rows:
        yield _part(PartId(number, count), rows, source.total)


def _part(part: PartId, rows: list[RawRow], position: int) -> Part:
    digest = blake2b(digest_size=16)
    for place, content in rows:
        fields = [("", content)] if not isinstance(content, Mapping) else content.items()
        digest.update(repr((place, len(fields))).encode())
        for name, value in fields:
            known = value if isinstance(value, bytes) else repr(value).encode()
            digest.update(repr((name, type(value).__name__, len(known))).encode())
            digest.update(known)
    return Part(part, tuple(rows), position, digest.hexdigest())


def _changed(source: RowSource, place: str) -> BatchInputError:
    return BatchInputError.of(
        source.name,
        Phrase("it changed since the run began, from {place} on; start anew in another folder", place=place),
    )
