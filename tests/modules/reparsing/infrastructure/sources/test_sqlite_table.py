"""Rows of a table of SQLite."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.infrastructure.sources import tables
from tests.modules.reparsing.infrastructure.sources.read import places, records, source, texts, told, until_error


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


ROWS = ("CREATE TABLE t (id TEXT, text TEXT)", "INSERT INTO t VALUES ('x', 'a'), (NULL, NULL), ('y', 'c')")


def test_rows_come_by_their_rowid_which_is_their_place(folder: Path) -> None:
    made(folder / "a.db", *ROWS, "DELETE FROM t WHERE id IS NULL", "INSERT INTO t(rowid, text) VALUES (-5, 'first')")
    url = "sqlite:///a.db?table=t"
    assert records(url) == [
        Record(f"{url}:-5", f"{url}:-5", "first"),
        Record(f"{url}:1", "x", "a"),
        Record(f"{url}:3", "y", "c"),
    ]


@pytest.mark.parametrize("name", ["a.db", "a b.db", "a?mode=rw.db", "a#b%41.db", "é.db"])
def test_any_file_is_opened_as_it_is_and_nothing_is_written_beside_it(folder: Path, name: str) -> None:
    """Special signs are written with percent signs; an absolute path has four slashes."""
    made(folder / name, *ROWS)
    before = (folder / name).read_bytes()
    for path in (quote(name), quote(str(folder / name))):
        assert texts(f"sqlite:///{path}?table=t") == ["a", None, "c"]
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [(name, before)]


@pytest.mark.parametrize("table", ['t"; DROP TABLE t; --', "a b", "select", "t'", "表"])
def test_any_table_name_is_a_name(folder: Path, table: str) -> None:
    quoted = '"' + table.replace('"', '""') + '"'
    made(folder / "a.db", f"CREATE TABLE {quoted} (text)", f"INSERT INTO {quoted} VALUES ('a')")  # noqa: S608 - quoted
    assert texts(f"sqlite:///a.db?table={quote(table.upper())}") == ["a"]


@pytest.mark.parametrize(
    "url",
    [
        *(
            "sqlite:///",
            "sqlite:///a.db",
            "sqlite:///a.db?table=",
            "sqlite:///?table=t",
            "sqlite:///a.db?table=t&mode=rw",
        ),
        *("sqlite:///a.db?table=t&table=u", "sqlite:///a%00.db?table=t"),
    ],
)
def test_url_of_another_form_is_refused_with_the_form(folder: Path, url: str) -> None:
    made(folder / "a.db", *ROWS)
    with pytest.raises(BatchInputError, match="it is written sqlite:///FILE\\?table=NAME"):
        source(url)


@pytest.mark.parametrize(("count", "tables"), [(9, "t0, t1, t2, t3, t4, t5, t6, t7, …"), (1, "t0"), (0, "-")])
def test_table_that_is_not_there_is_told_with_those_that_are(folder: Path, count: int, tables: str) -> None:
    made(folder / "a.db", *(f"CREATE TABLE t{number} (x INTEGER PRIMARY KEY AUTOINCREMENT)" for number in range(count)))
    with pytest.raises(BatchInputError) as error:
        source("sqlite:///a.db?table=u").identity()
    assert str(error.value).endswith(f"there is no table 'u'; the tables: {tables})")


HIDING = ("rowid", "rowid, _rowid_", "rowid, _rowid_, oid")


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (
            (
                "CREATE TABLE t (text, b, a, PRIMARY KEY (a, b)) WITHOUT ROWID",
                "INSERT INTO t VALUES ('c', 1, 2), ('b', 2, 1), ('a', 1, 1)",
            ),
            ["a", "b", "c"],
        ),
        *(
            ((f"CREATE TABLE t (text, {columns})", "INSERT INTO t(text, rowid) VALUES ('a', 9), ('b', 8)"), ["a", "b"])
            for columns in HIDING
        ),
        (
            (
                "CREATE TABLE rows (text)",
                "INSERT INTO rows VALUES ('a'), ('c')",
                "CREATE VIEW t AS SELECT text FROM rows ORDER BY text DESC",
            ),
            ["c", "a"],
        ),
    ],
    ids=["primary key", *HIDING, "view"],
)
def test_rows_without_a_rowid_are_numbered_by_the_primary_key_or_as_they_come(
    folder: Path, statements: tuple[str, ...], expected: list[str]
) -> None:
    made(folder / "a.db", *statements)
    assert texts("sqlite:///a.db?table=t") == expected
    assert places("sqlite:///a.db?table=t") == [str(number) for number in range(1, len(expected) + 1)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x'61'", "a"),
        ("NULL", None),
        ("7", "the field 'text' holds no text but a int"),
        ("1.5", "the field 'text' holds no text but a float"),
        ("x'ff'", "not UTF-8: byte 0xff at offset 0"),
        ("''", ""),
        ("CAST(x'61ff' AS TEXT)", "not UTF-8: byte 0xff at offset 1"),
        ("'a' || char(0) || 'b'", "a\0b"),
    ],
)
def test_value_of_any_kind_has_its_answer(folder: Path, value: str, text: str | None) -> None:
    made(folder / "a.db", "CREATE TABLE t (text)", f"INSERT INTO t VALUES ({value})")  # noqa: S608 - our own
    assert texts("sqlite:///a.db?table=t") == [text]


def test_rows_are_those_of_the_moment_when_the_reading_began(folder: Path) -> None:
    made(folder / "a.db", "PRAGMA journal_mode = WAL", *ROWS)
    reading = told(source("sqlite:///a.db?table=t"))
    first = next(reading)
    made(folder / "a.db", "UPDATE t SET text = 'new'", "INSERT INTO t VALUES ('z', 'new')")
    found = [first, *reading]
    assert [record.text for record in found if isinstance(record, Record)] == ["a", None, "c"]


def test_identity_knows_what_is_still_in_the_log(folder: Path) -> None:
    path = folder / "a.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(ROWS[0])
        database.commit()
        before = source("sqlite:///a.db?table=t").identity()
        database.execute(ROWS[1])
        database.commit()
        after = source("sqlite:///a.db?table=t").identity()
    assert before["first"] == after["first"]
    assert before != after


def test_locked_database_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_BUSY_SECONDS", 0.0)
    made(folder / "a.db", *ROWS)
    with closing(sqlite3.connect(folder / "a.db")) as database:
        database.execute("BEGIN EXCLUSIVE")
        assert "database is locked" in until_error(source("sqlite:///a.db?table=t"))[1]
