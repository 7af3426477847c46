"""Addresses of stores: which ones are taken, and how they are shown."""

from __future__ import annotations

from pathlib import Path

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.modules.monitoring.infrastructure.extra import needs_extra
from src.shared.domain.language import Message

with needs_extra():
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError

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
    if dialect == SQLITE and driver in {"", "pysqlite"}:
        return _file(address)
    if dialect == POSTGRES and driver in {"", "psycopg"} and address.database:
        with needs_extra("postgres"):
            import psycopg  # noqa: F401, PLC0415 - only whether it is there, and only where it is wanted
        return address.set(drivername="postgresql+psycopg")
    raise _wrong()


def path_of(address: URL) -> Path | None:
    """The file of a SQLite store; None for Postgres."""
    return Path(address.database or "") if address.get_backend_name() == SQLITE else None


def shown(address: URL) -> str:
    """An address without its password."""
    return address.render_as_string(hide_password=True)


def _file(address: URL) -> URL:
    path = address.database
    if not path or path == ":memory:" or path.startswith("file:") or address.query or address.host:
        raise _wrong()
    return address.set(drivername=SQLITE, database=str(Path(path).absolute()))


def _wrong() -> MonitoringSettingsError:
    known = "sqlite:///FILE, postgresql+psycopg://USER:PASSWORD@HOST/DATABASE"
    zh, en = f"存储的地址应为 {known}", f"the address of a store is {known}"
    return MonitoringSettingsError(Message.glossed(zh, en, "not the address of a store").text(), {"known": known})
