"""Versions of the tables: which one a store has, and making it this version's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from src.modules.monitoring.domain.exceptions import StoreVersionError
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store.connection import Store, missing
from src.modules.monitoring.infrastructure.store.tables import HEAD, METADATA, REVISIONS, VERSION, VERSION_TABLE
from src.shared.domain.language import Message

with needs_extra():
    from sqlalchemy import Connection, insert, inspect, select

MIGRATIONS = Path(__file__).with_name("migrations")
UPGRADE = "llm-output store upgrade"


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What an upgrade did.

    Attributes:
        before: version of the tables; None where there were none.
        after: version of the tables now.
    """

    before: str | None
    after: str


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
        raise _newer(store, version)
    if version != HEAD:
        zh, en = f"表的版本 {version} 较旧；请运行 {UPGRADE}", f"its tables are of version {version}; run {UPGRADE}"
        raise StoreVersionError(store.name, Message(zh, en))


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


def upgrade(store: Store) -> Upgraded:
    """Make the tables this version's and lose nothing: all of it, or nothing.

    Raises:
        StoreError: the store cannot be written, or its tables are newer.
    """
    store.settle()
    with store.writing(alone=True) as connection:
        before = version_of(connection)
        if before is not None and before not in REVISIONS:
            raise _newer(store, before)
        if before != HEAD:
            migrate(connection)
    return Upgraded(before, HEAD)


def migrate(connection: Connection, target: str = HEAD) -> None:
    """Run the migrations up to a version in an open transaction."""
    from alembic import command  # noqa: PLC0415 - a store that is up to date needs none of it
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _newer(store: Store, version: str) -> StoreVersionError:
    zh = f"表的版本 {version} 比本程序的 {HEAD} 新；请升级本程序"
    en = f"its tables are of version {version}, newer than this program's {HEAD}; upgrade the program"
    return StoreVersionError(store.name, Message(zh, en))
