"""The columns of a table that a run looks at; the others are not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import FieldNames, RawRow
from src.modules.reparsing.infrastructure.sources import opening as row_size

_NUMBER_BYTES = 8


def wanted(columns: Sequence[str], names: FieldNames) -> list[str]:
    """The columns with the fields, in order; for a name with dots that is no column, the one that it starts with."""
    asked = [name if name in columns else name.partition(".")[0] for name in astuple(names)]
    return [column for column in columns if column in asked]


def table_row(place: str, fields: Mapping[str, Any], others: Iterable[str], position: int) -> SourceRow:
    """A row of a table.

    Args:
        place: where it stands.
        fields: what was read of it.
        others: the columns that were not, which it has as well.
        position: as in `SourceRow`.
    """
    size = bytes_of(fields)
    if size > row_size.ROW_BYTES:
        return SourceRow(RawRow(place, row_size.too_large()), row_size.UNKEPT, position)
    return SourceRow(RawRow(place, {**fields, **dict.fromkeys(others)}), size, position)


def bytes_of(value: object) -> int:
    """How many bytes a value takes, about. It is as deep as the type of its column."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(bytes_of(each) for each in value.values())
    if isinstance(value, list | tuple):
        return sum(bytes_of(each) for each in value)
    return _NUMBER_BYTES
