"""What the tests of the inputs have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.record import FieldNames, Record, record_of
from src.modules.reparsing.infrastructure.sources.named import source_named

NAMES = FieldNames()


def source(name: Path | str, names: FieldNames = NAMES) -> RowSource:
    """The source of an input."""
    return source_named(str(name), names)


def told(row_source: RowSource, names: FieldNames = NAMES) -> Iterator[Record | str]:
    """The records of a source, and for rows without one what is said of them, in English."""
    for row in row_source.rows():
        record = record_of(row, names)
        yield record.problem.en if record.problem else record


def records(name: Path | str, names: FieldNames = NAMES) -> list[Record | str]:
    """What is in an input."""
    return list(told(source(name, names), names))


def texts(name: Path | str, names: FieldNames = NAMES) -> list[str | None]:
    """The texts of an input, and for rows without one what is said of them."""
    return [record.text if isinstance(record, Record) else record for record in records(name, names)]


def places(name: Path | str) -> list[str]:
    """Where the rows stand, without the input's name."""
    return [row.place.removeprefix(f"{name}:") for row in source(name).rows()]


def until_error(row_source: RowSource) -> tuple[list[str | None], str]:
    """The texts before an input breaks off, and what is said then."""
    found: list[str | None] = []
    try:
        found.extend(record.text if isinstance(record, Record) else record for record in told(row_source))
    except BatchInputError as error:
        return found, str(error)
    raise AssertionError(found)
