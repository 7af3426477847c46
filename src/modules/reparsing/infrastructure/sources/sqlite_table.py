"""Rows of a table of a SQLite database, which is only read, in one transaction."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.sources.columns import table_row, wanted
from src.modules.reparsing.infrastructure.sources.opening import LocalFile, identity_of, unreadable
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

SCHEME = "sqlite:///"
_ROW_IDS = ("rowid", "_rowid_", "oid")
"""The names of a row's number; a column of the name hides one."""
_INTERNAL = b"sqlite_"
_TABLES_SHOWN = 8
_NAME_SHOWN = 40
_BUSY_SECONDS = 5.0


class SqliteTable:
    """As `RowSource`. Rows come by their rowid, else by the primary key; those of a view as it gives them."""

    repeatable = True
    total = 0

    def __init__(self, url: str, names: FieldNames) -> None:
        """Open nothing yet.

        Args:
            url: `sqlite:///relative/file.db?table=name`, or four slashes for an absolute path.
            names: which field holds what.

        Raises:
            BatchInputError: the URL is not of this form.
        """
        self.name = url
        self.path, self.table = _parts(url)
        self._names = names

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`; of a database in WAL mode the log as well."""
        identity = identity_of(LocalFile(self.path))
        log = LocalFile(self.path.with_name(f"{self.path.name}-wal"))
        with self._opened() as database:
            self._found(database)
        return {**identity, "log": identity_of(log)} if log.size() else identity

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        with self._opened() as database:
            name, is_view = self._found(database)
            table = _quoted(name)
            columns = _columns(database, table)
            needed = wanted(columns, self._names)
            others = [column for column in columns if column not in needed]
            key = None if is_view else _row_id(database, table, columns)
            order = key or ", ".join(_quoted(column) for column in _primary_key(database, name))
            selected = ", ".join([key or "NULL", *map(_quoted, needed)])
            query = f"SELECT {selected} FROM {table}" + (f" ORDER BY {order}" if order else "")  # noqa: S608 - quoted
            for number, (row_id, *values) in enumerate(database.execute(query), 1):
                place = f"{self.name}:{number if row_id is None else row_id}"
                yield table_row(place, dict(zip(needed, values, strict=True)), others, 0)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot write, in a transaction."""
        identity_of(LocalFile(self.path))  # says what is wrong with a file that cannot be read
        url = f"{self.path.absolute().as_uri()}?mode=ro"
        try:
            with contextlib.closing(
                sqlite3.connect(url, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            ) as database:
                database.text_factory = bytes
                database.execute("PRAGMA trusted_schema = OFF")
                database.execute("BEGIN")
                yield database
        except sqlite3.Error as error:
            raise unreadable(self.name, error) from error

    def _found(self, database: sqlite3.Connection) -> tuple[str, bool]:
        """The table's name as the database has it, and whether it is a view."""
        entries = database.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")
        known = {name.decode(): kind == b"view" for name, kind in entries if not name.startswith(_INTERNAL)}
        for name, is_view in known.items():
            if name.lower() == self.table.lower():
                return name, is_view
        names = ", ".join(one_line(name, _NAME_SHOWN) for name in sorted(known)[:_TABLES_SHOWN]) or "-"
        names += ", …" if len(known) > _TABLES_SHOWN else ""
        zh, en = f"没有表 {self.table!r}；其中的表：{names}", f"there is no table {self.table!r}; the tables: {names}"
        raise BatchInputError.of(self.name, Message(zh, en))


def _parts(url: str) -> tuple[Path, str]:
    """The file and the table of a URL."""
    path, _, query = url.removeprefix(SCHEME).partition("?")
    options = parse_qsl(query, keep_blank_values=True)
    if not path or len(options) != 1 or options[0][0] != "table" or not options[0][1] or "\0" in unquote(path):
        form = f"{SCHEME}FILE?table=NAME"
        raise BatchInputError.of(url, Message(f"应写作 {form}", f"it is written {form}"))
    return Path(unquote(path)), options[0][1]


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    description = database.execute(f"SELECT * FROM {table} LIMIT 0").description  # noqa: S608 - quoted
    return [column[0] for column in description]


def _primary_key(database: sqlite3.Connection, name: str) -> list[str]:
    query = "SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk"
    return [column.decode() for (column,) in database.execute(query, (name,))]


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
