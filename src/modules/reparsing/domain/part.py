"""The inputs of a run and its parts: rows in pieces, each read whole and written whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import Row
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.language import Phrase
from src.shared.domain.outcome import Outcome


@dataclass(frozen=True)
class RowSource:
    """One input. It can be sent to another process where it is `repeatable`.

    Attributes:
        name: as the user wrote it.
        rows: gives the same rows each time, in the same order, a bounded number of them in memory; a `BatchInputError`
            where it cannot be read to its end.
        identity: what tells this input from another of the same name, as JSON types; a `BatchInputError` where it
            cannot be read.
        total: how long it is, in the units of `Row.position`; 0 where that is not known.
        repeatable: whether it can be read any number of times; else once, and its identity tells of its beginning
            alone.
        first_rows: gives some of the first rows and uses none of them up.
    """

    name: str
    rows: Callable[[], Iterator[Row]]
    identity: Callable[[], dict[str, Any]]
    total: int = 0
    repeatable: bool = True
    first_rows: Callable[[], Iterator[Row]] | None = None


PARSED, REFUSED, COMPARED = "parsed", "refused", "compared"
"""The outputs."""
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
    rows: tuple[Row, ...]
    position: int
    digest: str


class Line(NamedTuple):
    """What came of a row as it is written, and in which output: `PARSED`, `REFUSED` or `COMPARED`."""

    output: str
    content: bytes


@dataclass(slots=True)
class Outcomes:
    """What came of some rows, in their order: the lines of the outputs, counts, and notes where somebody wants them."""

    lines: list[Line] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    notes: list[Outcome] = field(default_factory=list)

    def add(self, other: Outcomes) -> None:
        """Take up those of another as well; its rows come behind the ones so far."""
        self.lines += other.lines
        self.tally.add(other.tally)
        self.notes += other.notes


class PartResult(NamedTuple):
    """What came of a part, whose other fields are as in `Part`."""

    id: PartId
    position: int
    digest: str
    outcomes: Outcomes


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
    rows: list[Row] = []
    size = count = 0
    for row in source.rows():
        rows.append(row)
        size += row.size
        if len(rows) >= PART_ROWS or size >= PART_BYTES:
            yield Part(PartId(number, count), tuple(rows), row.position, _digest_of(rows))
            rows, size, count = [], 0, count + 1
    if rows:
        yield Part(PartId(number, count), tuple(rows), source.total, _digest_of(rows))


def _digest_of(rows: list[Row]) -> str:
    digest = blake2b(digest_size=16)
    for place, content, *_ in rows:
        fields = [("", content)] if not isinstance(content, Mapping) else content.items()
        digest.update(repr((place, len(fields))).encode())
        for name, value in fields:
            known = value if isinstance(value, bytes) else repr(value).encode()
            digest.update(repr((name, type(value).__name__, len(known))).encode())
            digest.update(known)
    return digest.hexdigest()


def _changed(source: RowSource, place: str) -> BatchInputError:
    return BatchInputError.of(
        source.name,
        Phrase("it changed since the run began, from {place} on; start anew in another folder", place=place),
    )
