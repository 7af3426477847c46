"""Rows of tables: of a Parquet file, and of a SQLite database. Only the columns that a run looks at are read."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames, Row
from src.modules.reparsing.infrastructure.sources import opening
from src.modules.reparsing.infrastructure.sources.opening import identity_of, needs_bulk, reading, size_of, unreadable
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line

_NUMBER_BYTES = 8


def _wanted(columns: Sequence[str], names: FieldNames) -> tuple[list[str], list[str]]:
    """The columns with the fields, in order, and the others. A name with dots may begin with that of its column."""
    asked = [name if name in columns else name.partition(".")[0] for name in astuple(names)]
    needed = [column for column in columns if column in asked]
    return needed, [column for column in columns if column not in needed]


def _row(place: str, fields: Mapping[str, Any], others: Iterable[str], position: int) -> Row:
    """A row of a table, of which `others` were not read."""
    size = _bytes_of(fields)
    if size > opening.ROW_BYTES:
        return opening.oversized_row(place, position)
    return Row(place, {**fields, **dict.fromkeys(others)}, size, position)


def _bytes_of(value: object) -> int:
    """How many bytes a value takes, about. It is as deep as the type of its column."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_bytes_of, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_bytes_of, value))
    return _NUMBER_BYTES


_BATCH_ROWS = 64
_BATCH_BYTES = 16 * 1024 * 1024
_BUFFER = 1024 * 1024


def parquet_rows(name: str, names: FieldNames) -> Iterator[Row]:
    """As `RowSource.rows`. No more of a row group is in memory than a few rows. Texts are given as bytes."""
    with needs_bulk(name):
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
        from pyarrow import parquet  # noqa: PLC0415
    total, number = size_of(name), 0
    try:
        with reading(name), opening.stored(name) as stored, parquet.ParquetFile(stored, buffer_size=_BUFFER) as file:
            needed, others = _wanted(file.schema_arrow.names, names)
            for batch in file.iter_batches(_batch_rows(file.metadata), columns=needed):
                for row in _rows_of(batch):
                    number += 1
                    yield _row(f"{name}:{number}", row, others, total * number // file.metadata.num_rows)
    except pa.ArrowException as error:
        raise unreadable(name, error) from error


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


SCHEME = "sqlite:///"
_ROW_IDS = ("rowid", "_rowid_", "oid")
"""The names of a row's number; a column of the name hides one."""
_INTERNAL = b"sqlite_"
_TABLES_SHOWN = 8
_NAME_SHOWN = 40
_BUSY_SECONDS = 5.0


def sqlite_identity(url: str) -> dict[str, Any]:
    """As `RowSource.identity`; of a database in WAL mode the log as well."""
    path, _ = table_of(url)
    identity, log = identity_of(str(path)), f"{path}-wal"
    with _connected(url) as database:
        _found(database, url)
    return {**identity, "log": identity_of(log)} if size_of(log) else identity


def sqlite_rows(url: str, names: FieldNames) -> Iterator[Row]:
    """As `RowSource.rows`: by their rowid, else by the primary key; those of a view as it gives them."""
    with _connected(url) as database:
        name, is_view = _found(database, url)
        table = _quoted(name)
        description = database.execute(f"SELECT * FROM {table} LIMIT 0").description  # noqa: S608 - quoted
        columns = [column[0] for column in description]
        needed, others = _wanted(columns, names)
        key = None if is_view else _row_id(database, table, columns)
        primary = database.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (name,))
        order = key or ", ".join(_quoted(column.decode()) for (column,) in primary)
        selected = ", ".join([key or "NULL", *map(_quoted, needed)])
        query = f"SELECT {selected} FROM {table}" + (f" ORDER BY {order}" if order else "")  # noqa: S608 - quoted
        for number, (row_id, *values) in enumerate(database.execute(query), 1):
            place = f"{url}:{number if row_id is None else row_id}"
            yield _row(place, dict(zip(needed, values, strict=True)), others, 0)


@contextlib.contextmanager
def _connected(url: str) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write, in a transaction."""
    path, _ = table_of(url)
    identity_of(str(path))  # says what is wrong with a file that cannot be read
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(
            sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        ) as database:
            database.text_factory = bytes
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("BEGIN")
            yield database
    except sqlite3.Error as error:
        raise unreadable(url, error) from error


def _found(database: sqlite3.Connection, url: str) -> tuple[str, bool]:
    """The table's name as the database has it, and whether it is a view."""
    _, table = table_of(url)
    entries = database.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")
    known = {name.decode(): kind == b"view" for name, kind in entries if not name.startswith(_INTERNAL)}
    for name, is_view in known.items():
        if name.lower() == table.lower():
            return name, is_view
    names = ", ".join(one_line(name, _NAME_SHOWN) for name in sorted(known)[:_TABLES_SHOWN]) or "-"
    names += ", …" if len(known) > _TABLES_SHOWN else ""
    raise BatchInputError.of(url, Phrase("there is no table {table!r}; the tables: {names}", table=table, names=names))


def table_of(url: str) -> tuple[Path, str]:
    """The file and the table of `sqlite:///relative/file.db?table=name`; an absolute path has four slashes.

    Raises:
        BatchInputError: the URL is not of this form.
    """
    path, _, query = url.removeprefix(SCHEME).partition("?")
    options = parse_qsl(query, keep_blank_values=True)
    if not path or len(options) != 1 or options[0][0] != "table" or not options[0][1] or "\0" in unquote(path):
        raise BatchInputError.of(url, Phrase("it is written {form}", form=f"{SCHEME}FILE?table=NAME"))
    return Path(unquote(path)), options[0][1]


def _row_id(database: sqlite3.Connection, table: str, columns: list[str]) -> str | None:
    """The name of the row's number; None for a table that has none."""
    hidden = {column.lower() for column in columns}
    for name in _ROW_IDS:
        if name not in hidden:
            try:
                database.execute(f"SELECT {name} FROM {table} LIMIT 0")  # noqa: S608 - quoted
            except sqlite3.OperationalError:
                return None
            return name
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
