"""Rows of a Parquet file, batch by batch: no more of a row group is in memory than a few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.sources.columns import table_row, wanted
from src.modules.reparsing.infrastructure.sources.opening import (
    InputFile,
    identity_of,
    missing_extra,
    reading,
    unreadable,
)

_BATCH_ROWS = 64
_BATCH_BYTES = 16 * 1024 * 1024
_BUFFER = 1024 * 1024


class ParquetTable:
    """As `RowSource`. Only the columns with the fields are read. Texts are given as bytes."""

    repeatable = True

    def __init__(self, file: InputFile, names: FieldNames) -> None:
        """Open nothing yet."""
        self.name = file.name
        self.total = file.size()
        self._file = file
        self._names = names

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return identity_of(self._file)

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        try:
            import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
            from pyarrow import parquet  # noqa: PLC0415
        except ImportError as error:
            raise missing_extra(self.name, "pyarrow") from error
        try:
            with (
                reading(self.name),
                self._file.open() as stored,
                parquet.ParquetFile(stored, buffer_size=_BUFFER) as table,
            ):
                yield from self._rows(table)
        except pa.ArrowException as error:
            raise unreadable(self.name, error) from error

    def _rows(self, file: Any) -> Iterator[SourceRow]:  # noqa: ANN401 - pyarrow has no types
        columns = file.schema_arrow.names
        needed = wanted(columns, self._names)
        others = [column for column in columns if column not in needed]
        total = file.metadata.num_rows
        number = 0
        for batch in file.iter_batches(_batch_rows(file.metadata), columns=needed):
            for row in _rows_of(batch):
                number += 1
                place, position = f"{self.name}:{number}", self.total * number // total
                yield table_row(place, row, others, position)


def _batch_rows(metadata: Any) -> int:  # noqa: ANN401
    """How many rows are decoded at once: few, and fewer where they are large."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    largest = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(_BATCH_ROWS, int(_BATCH_BYTES // max(largest, 1))))


def _rows_of(batch: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    import pyarrow as pa  # noqa: PLC0415

    fields = [field.with_type(_plain(field.type)).remove_metadata() for field in batch.schema]
    plain = [column.cast(field.type, safe=False) for column, field in zip(batch.columns, fields, strict=True)]
    batch = pa.RecordBatch.from_arrays(plain, schema=pa.schema(fields)) if fields else batch
    try:
        yield from batch.to_pylist()
    except (ValueError, OverflowError):  # a time behind the year 9999: find out which row has it
        for number in range(batch.num_rows):
            yield _row_of(batch.slice(number, 1))


def _row_of(batch: Any) -> dict[str, Any]:  # noqa: ANN401
    row: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            (row[name],) = column.to_pylist()
        except (ValueError, OverflowError):
            row[name] = None
    return row


def _plain(kind: Any) -> Any:  # noqa: ANN401
    """The type as which a column is read: text as bytes, since it may not be UTF-8; times as Python has them."""
    import pyarrow as pa  # noqa: PLC0415

    types = pa.types
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind) or types.is_binary_view(kind):
        return pa.large_binary()
    if types.is_timestamp(kind) or types.is_date(kind):
        return pa.timestamp("us")
    if types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_plain(kind.value_type)))
    return kind
