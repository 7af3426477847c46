"""Connections to a store: transactions that read at one moment, or write without a surprise, with our errors alone."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError, StoreMissingError, StoreUnavailableError
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line

with needs_extra():
    from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
    from sqlalchemy.exc import ArgumentError, DisconnectionError, SQLAlchemyError


POSTGRES = "postgresql"
SQLITE = "sqlite"


def address_of(url: str) -> URL:
    """A store's address; a file's is absolute, so that a later change of the folder leads nowhere else.

    Raises:
        MonitoringSettingsError: it is none that is known, or Postgres's package is not installed; never shows it,
            since it may hold a password.
    """
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise _wrong() from None
    dialect, _, driver = address.drivername.partition("+")
    file = address.database or ""
    if dialect == SQLITE and driver in {"", "pysqlite"} and not (address.query or address.host):
        if file not in {"", ":memory:"} and not file.startswith("file:"):
            return address.set(drivername=SQLITE, database=str(Path(file).absolute()))
    elif dialect == POSTGRES and driver in {"", "psycopg"} and address.database:
        with needs_extra("postgres"):
            import psycopg  # noqa: F401, PLC0415 - only whether it is there, and only where it is wanted
        return address.set(drivername="postgresql+psycopg")
    raise _wrong()


def _wrong() -> MonitoringSettingsError:
    known = "sqlite:///FILE, postgresql+psycopg://USER:PASSWORD@HOST/DATABASE"
    message = Phrase("not the address of a store, which is {known}", known=known)
    return MonitoringSettingsError(message.text(), {"known": known})


BUSY_SECONDS = 5
"""How long a process waits for another one's transaction on SQLite, or for a connection to Postgres."""
_LOCK = 7_305_811
"""Number of the advisory lock that keeps other watchers and migrations out of a Postgres store."""
_REASON = 200


class Store:
    """One store, by its address. A connection is opened when it is needed and belongs to the process that opened it.

    Attributes:
        name: the address without its password.
    """

    def __init__(self, url: str) -> None:
        """Name a store; nothing is opened.

        Raises:
            MonitoringSettingsError: it is no store's address.
        """
        address = address_of(url)
        self.name = address.render_as_string(hide_password=True)
        self._path = Path(address.database or "") if address.get_backend_name() == SQLITE else None
        self._engine = _sqlite(address, self._path) if self._path else _postgres(address)
        weakref.finalize(self, self._engine.dispose).atexit = False

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction in which nothing changes.

        Raises:
            StoreMissingError: there is no file.
            StoreUnavailableError: it cannot be read.
        """
        if self._path and not self._path.exists():
            raise missing(self.name)
        with self._begun(**({} if self._path else {"isolation_level": "REPEATABLE READ"})) as connection:
            yield connection

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """A transaction that is written at its end; SQLite has one at a time.

        Args:
            alone: keep out who asks for the same: watchers, and migrations.

        Raises:
            StoreUnavailableError: it cannot be written; nothing of the transaction is.
        """
        with self._begun(writes=True) as connection:
            if alone and self._path is None:
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection

    def settle(self) -> None:
        """Let readers and a writer of SQLite work side by side (WAL); the file remembers it.

        Raises:
            StoreUnavailableError: another process has the file to itself.
        """
        if self._path:
            with self._errors(), self._engine.connect() as connection:
                connection.connection.cursor().execute("PRAGMA journal_mode = WAL")  # not in a transaction

    def close(self) -> None:
        """Close every connection; the next transaction opens a new one."""
        self._engine.dispose()

    @contextmanager
    def _begun(self, **options: Any) -> Iterator[Connection]:  # noqa: ANN401 - execution options
        with self._errors(), self._engine.connect() as connection, connection.execution_options(**options).begin():
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            reason = one_line(str(getattr(error, "orig", None) or error), _REASON)
            why = Phrase("it cannot be used: {reason}", reason=reason)
            raise StoreUnavailableError(self.name, why) from None  # the vendor's error holds the rows


def missing(name: str) -> StoreMissingError:
    """There is no store at an address."""
    return StoreMissingError(name, Phrase("there is none, or nothing has been written to it yet"))


def _postgres(address: URL) -> Engine:
    waiting = {} if "connect_timeout" in address.query else {"connect_timeout": BUSY_SECONDS}
    return create_engine(address, connect_args=waiting, pool_pre_ping=True)


def _sqlite(address: URL, path: Path) -> Engine:
    engine = create_engine(address, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, record: Any) -> None:  # noqa: ANN401 - sqlite3's, and the pool's
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in ("foreign_keys = ON", "synchronous = NORMAL"):
            connection.execute(f"PRAGMA {pragma}")
        record.info["file"] = _identity(path)

    @event.listens_for(engine, "checkout")
    def _leave_deleted(_: Any, record: Any, __: Any) -> None:  # noqa: ANN401 - as above
        """Leave a file that is not there any more for another connection: what is written to it nobody ever reads."""
        if record.info["file"] != _identity(path):
            raise DisconnectionError

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is at a path; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
