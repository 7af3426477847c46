"""Tables of other versions: upgraded with everything in them, or refused with what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from src.modules.monitoring.domain.exceptions import (
    MonitoringSettingsError,
    StoreMissingError,
    StoreUnavailableError,
    StoreVersionError,
)
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from src.modules.monitoring.infrastructure.store.schema import HEAD, METADATA, REVISIONS, VERSION_TABLE
from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms
from tests.modules.monitoring.stored import At, Hook, fill, made, numbered

ROW = (
    "INSERT INTO llm_outcome (writer, number, at, agent, model, outcome, prompt_id, attempt, stage, asked, "
    "repair_code, length) VALUES (1, :number, :number, 'a', 'm', 'clean', '', 1, '', :asked, '', 5)"
)


def older(url: str) -> Store:
    """A store of the first version, with a thousand outcomes."""
    store = Store(url)
    with store.writing() as connection:
        schema.migrate(connection, REVISIONS[0])
        connection.execute(text(ROW), [{"number": number, "asked": False} for number in range(1, 1_001)])
    return store


def test_every_version_is_a_migration_in_its_order() -> None:
    steps = ScriptDirectory(str(schema.MIGRATIONS)).walk_revisions()
    assert [step.revision for step in steps] == [*reversed(REVISIONS)]


@pytest.mark.parametrize("make", [schema.create, schema.upgrade])
def test_store_that_is_made_or_migrated_has_the_tables_of_the_code(url: str, make: Callable[[Store], object]) -> None:
    """A new store is made without the migrations."""
    store = Store(url)
    for _ in range(2):
        make(store)
    with store.reading() as connection:
        assert schema.version_of(connection) == HEAD
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, METADATA) == []
    assert schema.upgrade(store) == (HEAD, HEAD)


def test_store_that_another_process_makes_first_is_taken(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Store, "settle", lambda _: (patch.undo(), fill(url, made(1))))  # type: ignore[func-returns-value]
        schema.create(Store(url))
    assert ReadRates(Store(url)).facts().writers == 1


def test_older_store_is_upgraded_and_loses_nothing(url: str) -> None:
    store = older(url)
    assert schema.upgrade(store) == (REVISIONS[0], HEAD)
    facts = ReadRates(store).facts()
    assert (facts.oldest, facts.newest) == (1, 1_000)
    assert ReadRates(store).total().texts.parses == 200
    assert WatchAlarms(store).look() == ()


SECOND_VERSION = (
    "ALTER TABLE llm_alarm_event DROP COLUMN next_try",
    "ALTER TABLE llm_alarm_event DROP COLUMN delivered_at",
    "CREATE TABLE llm_webhook (target VARCHAR(64) PRIMARY KEY, since BIGINT NOT NULL)",
    "CREATE TABLE llm_delivery (event INTEGER, target VARCHAR(64), delivered BIGINT, PRIMARY KEY (event, target))",
)
"""What an earlier program made in place of the tables that this one makes on the way to the third version."""


def test_events_of_the_second_version_stay_taken_or_to_be_sent(url: str) -> None:
    """It had receivers by their address: what one of them has taken is taken."""
    store = Store(url)
    event = "INSERT INTO llm_alarm_event VALUES (:id, :id, 'alarm', 'agent', 'a', 50, 25, 'too often')"
    delivery = "INSERT INTO llm_delivery VALUES (:event, :target, :delivered)"
    with store.writing() as connection:
        schema.migrate(connection, REVISIONS[1])
        for statement in SECOND_VERSION:
            connection.execute(text(statement))
        connection.execute(text(event), [{"id": number} for number in (1, 2, 3)])
        connection.execute(text("INSERT INTO llm_webhook VALUES ('a', 0), ('b', 2)"))
        taken = [(1, "a", 7), (1, "b", None), (2, "a", None)]
        connection.execute(text(delivery), [{"event": e, "target": t, "delivered": d} for e, t, d in taken])
    assert schema.upgrade(store) == (REVISIONS[1], HEAD)
    hook = Hook()
    watch = WatchAlarms(store, hook, clock=At(5))  # type: ignore[arg-type]
    assert watch.deliver() is None
    assert ([event.id for event in watch.events(9)], [event.id for event in hook.taken]) == ([3, 2, 1], [2, 3])


def test_upgrade_makes_a_store_where_there_is_none_and_leaves_one_of_this_version_as_it_is(url: str) -> None:
    assert schema.upgrade(Store(url)) == (None, HEAD)
    fill(url, made(3))
    assert (schema.upgrade(Store(url)), ReadRates(Store(url)).facts().newest) == ((HEAD, HEAD), made(3)[-1].at)


def newer(url: str) -> Store:
    """A store that a later program made."""
    fill(url, made(1))
    store = Store(url)
    with store.writing() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))  # noqa: S608 - our own
    return store


def foreign(url: str) -> Store:
    """A database of somebody else's."""
    store = Store(url)
    with store.writing() as connection:
        connection.execute(text("CREATE TABLE other (a INTEGER)"))
    return store


READING: tuple[Callable[[Store], object], ...] = (
    lambda store: ReadRates(store).facts(),
    lambda store: WatchAlarms(store).alarms(),
    lambda store: WatchAlarms(store).look(),
)


def write(store: Store) -> None:
    OutcomeWriter(store).write(numbered(made(1)))


@pytest.mark.parametrize(
    ("make", "uses", "error", "told"),
    [
        (older, (*READING, write), StoreVersionError, f"run {schema.UPGRADE}"),
        (newer, (*READING, write, schema.upgrade), StoreVersionError, "upgrade the program"),
        (foreign, READING, StoreMissingError, "there is none"),
    ],
)
def test_tables_of_another_version_are_refused_with_what_to_do(
    url: str, make: Callable[[str], Store], uses: Sequence[Callable[[Store], object]], error: type[Exception], told: str
) -> None:
    store = make(url)
    for use in uses:
        with pytest.raises(error, match=told):
            use(store)


def test_failed_upgrade_changes_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store, run = older(url), schema.migrate

    def broken(connection: object) -> None:
        run(connection)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "migrate", broken)
    with pytest.raises(KeyboardInterrupt):
        schema.upgrade(store)
    with store.reading() as connection:
        assert schema.version_of(connection) == REVISIONS[0]


def test_missing_file_is_not_made_by_reading(sqlite_url: str) -> None:
    with pytest.raises(StoreMissingError):
        ReadRates(Store(sqlite_url)).facts()
    assert not Path(sqlite_url.removeprefix("sqlite:///")).exists()


def test_file_that_is_no_database_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("no database at all, but longer than the header of one would be " * 10)
    with pytest.raises(StoreUnavailableError, match="not a database") as caught:
        ReadRates(Store(f"sqlite:///{file}")).facts()
    assert "\n" not in caught.value.message


def test_locked_store_is_told_in_one_line(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(sqlite_url, made(1))
    monkeypatch.setattr("src.modules.monitoring.infrastructure.store.connection.BUSY_SECONDS", 0.05)
    with Store(sqlite_url).writing(), pytest.raises(StoreUnavailableError, match="locked"):
        fill(sqlite_url, made(1))


def test_server_that_is_not_there_is_told_without_the_password() -> None:
    with pytest.raises(StoreUnavailableError) as caught:
        ReadRates(Store("postgresql://me:hidden@127.0.0.1:1/db")).facts()
    assert ("hidden" in caught.value.message, "me:***@127.0.0.1" in caught.value.message) == (False, True)


@pytest.mark.parametrize(
    "url",
    [
        "", "outcomes.db", "sqlite://", "sqlite:///:memory:", "sqlite:///file:a.db?uri=true", "sqlite:///a.db?x=y",
        "sqlite://host/a.db", "sqlite+aiosqlite:///a.db", "mysql://a:hidden@b/c", "postgresql+psycopg2://a:hidden@b/c",
        "postgresql://a:hidden@b", "postgresql://a:hidden@b:port/c",
    ],
)  # fmt: skip
def test_address_of_no_store_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(MonitoringSettingsError, match="not the address of a store") as caught:
        Store(url)
    assert "hidden" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("sqlite:///a.db", "sqlite:///{folder}/a.db"),
        ("postgresql://u:p@h/d?connect_timeout=3", "postgresql+psycopg://u:***@h/d?connect_timeout=3"),
    ],
)
def test_name_of_a_store_is_its_whole_address_without_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, name: str
) -> None:
    """A file's does not depend on a later folder; Postgres without a driver is psycopg."""
    monkeypatch.chdir(tmp_path)
    assert Store(url).name == name.format(folder=tmp_path)
