"""The tables of the store as this version has them, which version a store has, and making it this version's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from src.modules.monitoring.domain.exceptions import StoreVersionError
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store.connection import Store, missing
from src.shared.domain.language import Phrase

with needs_extra():
    from sqlalchemy import (
        BigInteger,
        Boolean,
        Column,
        Connection,
        ForeignKeyConstraint,
        Index,
        Integer,
        MetaData,
        SmallInteger,
        String,
        Table,
        Text,
        insert,
        inspect,
        select,
    )

VERSION_TABLE = "llm_schema"
REVISIONS = ("0001", "0002", "0003")
"""Every version of the tables, the oldest first."""
HEAD = REVISIONS[-1]

METADATA = MetaData()

VERSION = Table(VERSION_TABLE, METADATA, Column("version_num", String(32), primary_key=True))
"""Alembic's own: which version the tables are of."""

WRITER = Table(
    "llm_writer",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("host", String(200), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("dropped", BigInteger, nullable=False),
)
"""Processes that have written, and how many outcomes each of them lost."""

OUTCOME = Table(
    "llm_outcome",
    METADATA,
    Column("writer", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("agent", String(200), nullable=False),
    Column("model", String(200), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("prompt_id", String(200), nullable=False),
    Column("attempt", SmallInteger, nullable=False),
    Column("stage", String(200), nullable=False),
    Column("asked", Boolean, nullable=False),
    Column("repair_code", String(200), nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("text", Text),
    Index("llm_outcome_at", "at"),
    Index("llm_outcome_agent", "agent", "at"),
    Index("llm_outcome_model", "model", "at"),
    sqlite_with_rowid=False,
)
"""One row a text. A writer numbers its own from 1."""


def _of_outcome(name: str, *columns: Column[Any]) -> Table:
    """A table with several rows an outcome, which go with it."""
    return Table(
        name,
        METADATA,
        Column("writer", Integer, primary_key=True, autoincrement=False),
        Column("number", BigInteger, primary_key=True, autoincrement=False),
        *columns,
        ForeignKeyConstraint(["writer", "number"], ["llm_outcome.writer", "llm_outcome.number"], ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )


REPAIR = _of_outcome(
    "llm_repair", Column("kind", String(40), primary_key=True), Column("count", Integer, nullable=False)
)
"""How often each kind of repair was made in a text that was read."""

DAMAGE = _of_outcome("llm_damage", Column("reason", String(200), primary_key=True))
"""What made the repair agent necessary."""

ALARM = Table(
    "llm_alarm",
    METADATA,
    Column("scope", String(10), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("level", String(10), nullable=False),
    Column("since", BigInteger, nullable=False),
)
"""How the repair rate of each agent and model stands, as it was told last."""

ALARM_EVENT = Table(
    "llm_alarm_event",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("scope", String(10), nullable=False),
    Column("name", String(200), nullable=False),
    Column("parses", Integer, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("message", Text, nullable=False),
    Column("next_try", BigInteger),
    Column("delivered_at", BigInteger),
    sqlite_autoincrement=True,
)
"""Crossings and recoveries, and whether the webhook has taken them; a number is never used twice."""

MIGRATIONS = Path(__file__).with_name("migrations")
UPGRADE = "llm-output store upgrade"


def version_of(connection: Connection) -> str | None:
    """The version of the tables; None where there are none."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(select(VERSION.c.version_num)).scalar()


def check(store: Store, connection: Connection) -> None:
    """Make sure that the tables are this version's.

    Raises:
        StoreMissingError: there are none.
        StoreVersionError: they are older, or newer.
    """
    version = version_of(connection)
    if version is None:
        raise missing(store.name)
    if version not in REVISIONS:
        why = Phrase(
            "its tables are of version {version}, newer than this program's {head}; upgrade the program",
            version=version,
            head=HEAD,
        )
        raise StoreVersionError(store.name, why)
    if version != HEAD:
        why = Phrase("its tables are of version {version}; run {upgrade}", version=version, upgrade=UPGRADE)
        raise StoreVersionError(store.name, why)


@contextmanager
def reading(store: Store) -> Iterator[Connection]:
    """A transaction in which nothing changes, in tables of this version.

    Raises:
        StoreError: there is no store, it cannot be read, or its tables are of another version.
    """
    with store.reading() as connection:
        check(store, connection)
        yield connection


def create(store: Store) -> None:
    """Make the tables where there are none; an older store is left to `upgrade`, which somebody has to decide.

    Without Alembic, whose import takes long beside a thread that parses.

    Raises:
        StoreError: the store cannot be written, or its tables are of another version.
    """
    with store.writing() as connection:
        version = version_of(connection)
        if version is not None:
            check(store, connection)
            return
    store.settle()
    with store.writing(alone=True) as connection:
        if version_of(connection) is None:
            METADATA.create_all(connection, checkfirst=False)
            connection.execute(insert(VERSION).values(version_num=HEAD))


def upgrade(store: Store) -> tuple[str | None, str]:
    """Make the tables this version's and lose nothing: all of it, or nothing.

    Returns:
        Version of the tables before, None where there were none, and now.

    Raises:
        StoreError: the store cannot be written, or its tables are newer.
    """
    store.settle()
    with store.writing(alone=True) as connection:
        before = version_of(connection)
        if before not in {None, *REVISIONS}:
            check(store, connection)
        if before != HEAD:
            migrate(connection)
    return before, HEAD


def migrate(connection: Connection, target: str = HEAD) -> None:
    """Run the migrations up to a version in an open transaction."""
    from alembic import command  # noqa: PLC0415 - a store that is up to date needs none of it
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
