"""Rows of a table of SQLite."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.infrastructure.sources import opening, tables
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


def test_absolute_path_has_four_slashes(folder: Path) -> None:
    made(folder / "a.db", *ROWS)
    assert texts(f"sqlite:///{folder / 'a.db'}?table=t") == ["a", None, "c"]


@pytest.mark.parametrize("name", ["a b.db", "a?mode=rw.db", "a#b%41.db", "é.db"])
def test_any_file_name_can_be_written_with_percent_signs_and_is_opened_as_it_is(folder: Path, name: str) -> None:
    made(folder / name, *ROWS)
    assert texts(f"sqlite:///{quote(name)}?table=t") == ["a", None, "c"]
    assert [path.name for path in folder.iterdir()] == [name]


@pytest.mark.parametrize("table", ['t"; DROP TABLE t; --', "a b", "select", "t'", "表"])
def test_any_table_name_is_a_name(folder: Path, table: str) -> None:
    quoted = '"' + table.replace('"', '""') + '"'
    made(folder / "a.db", f"CREATE TABLE {quoted} (text)", f"INSERT INTO {quoted} VALUES ('a')")  # noqa: S608 - quoted
    assert texts(f"sqlite:///a.db?table={quote(table)}") == ["a"]


def test_case_of_a_table_makes_no_difference(folder: Path) -> None:
    made(folder / "a.db", *ROWS)
    assert len(texts("sqlite:///a.db?table=T")) == 3


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


def test_table_that_is_not_there_is_told_with_those_that_are(folder: Path) -> None:
    made(folder / "a.db", *(f"CREATE TABLE t{number} (x INTEGER PRIMARY KEY AUTOINCREMENT)" for number in range(9)))
    with pytest.raises(BatchInputError) as error:
        source("sqlite:///a.db?table=u").identity()
    assert "there is no table 'u'; the tables: t0, t1, t2, t3, t4, t5, t6, t7, …" in str(error.value)


def test_database_without_tables_is_told(folder: Path) -> None:
    made(folder / "a.db")
    assert "the tables: -" in until_error(source("sqlite:///a.db?table=t"))[1]


def test_table_without_rowids_is_read_by_its_primary_key(folder: Path) -> None:
    made(
        folder / "a.db",
        "CREATE TABLE t (text, b, a, PRIMARY KEY (a, b)) WITHOUT ROWID",
        "INSERT INTO t VALUES ('third', 1, 2), ('second', 2, 1), ('first', 1, 1)",
    )
    assert texts("sqlite:///a.db?table=t") == ["first", "second", "third"]
    assert places("sqlite:///a.db?table=t") == ["1", "2", "3"]


@pytest.mark.parametrize("columns", ["rowid", "rowid, _rowid_", "rowid, _rowid_, oid"])
def test_column_that_hides_the_rowid_is_not_taken_for_it(folder: Path, columns: str) -> None:
    made(folder / "a.db", f"CREATE TABLE t (text, {columns})", "INSERT INTO t(text, rowid) VALUES ('a', 9), ('b', 8)")
    assert texts("sqlite:///a.db?table=t") == ["a", "b"]
    assert places("sqlite:///a.db?table=t") == ["1", "2"]


def test_view_is_read_as_it_gives_its_rows(folder: Path) -> None:
    made(folder / "a.db", *ROWS, "CREATE VIEW v AS SELECT text, id FROM t WHERE text IS NOT NULL ORDER BY text DESC")
    assert texts("sqlite:///a.db?table=v") == ["c", "a"]
    assert places("sqlite:///a.db?table=v") == ["1", "2"]


def test_values_that_are_no_text_have_each_their_answer(folder: Path) -> None:
    made(
        folder / "a.db",
        "CREATE TABLE t (text)",
        "INSERT INTO t VALUES (x'61'), (NULL), (7), (1.5), (x'ff'), ('')",
    )
    made(folder / "a.db", "INSERT INTO t VALUES (CAST(x'61ff' AS TEXT)), ('a' || char(0) || 'b')")
    assert texts("sqlite:///a.db?table=t")[:6] == [
        *("a", None, "the field 'text' holds no text but a int", "the field 'text' holds no text but a float"),
        *("not UTF-8: byte 0xff at offset 0", ""),
    ]
    assert texts("sqlite:///a.db?table=t")[6:] == ["not UTF-8: byte 0xff at offset 1", "a\0b"]


def test_row_that_is_too_large_is_refused_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 100)
    made(folder / "a.db", *ROWS, "UPDATE t SET text = hex(zeroblob(60)) WHERE id IS NULL")
    assert texts("sqlite:///a.db?table=t") == ["a", "the row has more than 100 bytes", "c"]


def test_nothing_is_written_beside_the_database(folder: Path) -> None:
    made(folder / "a.db", *ROWS)
    before = (folder / "a.db").read_bytes()
    assert len(texts("sqlite:///a.db?table=t")) == 3
    assert [path.name for path in folder.iterdir()] == ["a.db"]
    assert (folder / "a.db").read_bytes() == before


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


def test_file_that_is_no_database_is_an_error(folder: Path) -> None:
    (folder / "a.db").write_text("text\n" * 1000)
    assert "file is not a database" in until_error(source("sqlite:///a.db?table=t"))[1]


def test_database_that_is_not_there_is_an_error_and_not_made(folder: Path) -> None:
    assert "no such file" in until_error(source("sqlite:///a.db?table=t"))[1]
    assert list(folder.iterdir()) == []
