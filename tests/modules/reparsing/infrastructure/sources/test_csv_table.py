"""Rows of CSV."""

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.reparsing.domain.record import FieldNames, Record
from src.modules.reparsing.infrastructure.sources import opening
from tests.modules.reparsing.infrastructure.sources.read import places, records, source, texts, until_error


def written(folder: Path, content: bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


HEADER = b"id,text\n"
LONE_RETURN = "not a row of CSV: new-line character seen in unquoted field"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", b"id,text,model\n007,NULL,\n", [("2", "NULL")]),
        ("a.csv", b'text,id\n"{""a"": 1,\n""b"": 2}",x\r\n"",y\n', [("2", '{"a": 1,\n"b": 2}'), ("4", "")]),
        ("a.tsv", b'id\ttext\n1\ta,b\n2\t"c\td"\n', [("2", "a,b"), ("3", "c\td")]),
        ("a.csv.gz", gzip.compress(b'id,text\n1,"a,b"\n2,c\td\n', mtime=0), [("2", "a,b"), ("3", "c\td")]),
        ("a.csv", b'\xef\xbb\xbf"id","text"\r\n1,"a,b"\r\n\r\n2,c\td', [("2", "a,b"), ("4", "c\td")]),
        ("a.csv", b'\n\nid,text\n\n1,"a,b"\n  \n2,c\td\n', [("5", "a,b"), ("7", "c\td")]),
        *(("a.csv", content, []) for content in (b"", b"id,text", HEADER, b"\xef\xbb\xbf\n", b"\n\n")),
        ("a.csv", b"x,text,x,,\n1,a,2,3,4\n", [("2", "a")]),
        ("a.csv", b"id,caf\xe9\n1,a\n", [("2", "there is no field 'text': the row has id, caf\\xe9")]),
    ],
)
def test_rows_of_a_file(tmp_path: Path, name: str, content: bytes, expected: list[tuple[str, str]]) -> None:
    path = written(tmp_path, content, name)
    assert places(path) == [place for place, _ in expected]
    found = zip(texts(path), expected, strict=True)
    assert all(str(text).startswith(beginning) for text, (_, beginning) in found)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (b"2", "the row has 1 cells, the header 2"),
        (b"2,b,", "the row has 3 cells, the header 2"),
        (b"2,\xff", "not UTF-8: byte 0xff at offset 0"),
        (b"2,a\rb", LONE_RETURN),
        (b'a\rb,"c\nd,e"', LONE_RETURN),
        (b'2,5" pipe', '5" pipe'),
        (b'2,"a"b', "ab"),
        (b'2,"a" ', "a "),
        (b'2, "a"', ' "a"'),
        (b"2,a\0b", "a\0b"),
        (b'2,""', ""),
        (b'2,"a\rb"', "a\rb"),
        (b'2,"a\r\nb\r"\r', "a\r\nb\r"),
        (b"2,a\r\r", "a"),
        (b'2,"a\r\nb\rc\n\n"x', "a\r\nb\rc\n\nx"),
        (b'2,"' + b"x" * 200_000 + b'"', "x" * 200_000),
    ],
    ids=lambda one: repr(one)[:30],
)
def test_row_shifts_no_other(tmp_path: Path, row: bytes, expected: str) -> None:
    """A broken row is refused alone; stray quotes and a NUL are read as the standard library reads them."""
    path = written(tmp_path, HEADER + b"1,a\n" + row + b"\n3,c\n")
    first, found, last = texts(path)
    assert (first, str(found).partition(" - do you need")[0], last) == ("a", expected, "c")
    assert places(path)[2] == str(4 + row.count(b"\n"))


def test_cell_that_is_not_utf8_harms_its_row_only_where_it_is_the_text(tmp_path: Path) -> None:
    (record,) = records(written(tmp_path, b"note,text,id\n\xff,\xc3\xa9,\xff\n"))
    assert isinstance(record, Record)
    assert (record.text, record.id) == ("é", "\ufffd")


TOO_LARGE = "has more than 50 bytes, or a quote in it is never closed"


@pytest.mark.parametrize(
    ("content", "read", "why"),
    [
        (HEADER + b'1,a\n2,"b\n3,c\n4,d\n', ["a"], "the record of line 3 is never closed"),
        *(
            (HEADER + b'1,"a\n"\n2,' + large + rest, ["a\n"], f"the record of line 4 {TOO_LARGE}")
            for large in (b"x" * 60, b'"' + b'3,"",x\n' * 10 + b'"', b'"' + b"3,x\n" * 20)
            for rest in (b"", b"\n3,c\n")
        ),
        (b"x," * 30 + b"text\n1,a\n", [], TOO_LARGE),
        (HEADER + b"1," + b"x" * 47 + b"\n2," + b"x" * 48 + b"\n", ["x" * 47], f"the record of line 3 {TOO_LARGE}"),
        (HEADER + b'1,"' + b"x\n" * 22 + b'"\n2,"', ["x\n" * 22], "never closed"),
        (b"text,id,text\na,1,b\n", [], "two columns have the name 'text'"),
        (b'id,"te\rxt', [], "never closed"),
        (b"id,te\rxt\n1,a\n", [], "cannot be read: new-line character"),
    ],
)
def test_record_that_may_be_all_of_the_rest_ends_the_run_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, read: list[str], why: str
) -> None:
    """And so does a header that names no columns."""
    monkeypatch.setattr(opening, "ROW_BYTES", 50)
    found, message = until_error(source(written(tmp_path, content)))
    assert found == read
    assert why in message


@given(st.text("ax,\n\r\t \"'\0é", max_size=40), st.sampled_from([".csv", ".tsv"]))
def test_rows_are_those_of_the_standard_library(
    tmp_path_factory: pytest.TempPathFactory, text: str, ending: str
) -> None:
    """Any text whatever: the same rows, each with its line, unless a quote is open in the end."""
    path = written(tmp_path_factory.getbasetemp(), b"text\n" + text.encode(), f"any{ending}")
    delimiter = "," if ending == ".csv" else "\t"
    lines, expected, broken = io.StringIO(text, newline="\n"), [], False
    while line := lines.readline():
        record = line
        while _is_open(record, delimiter):
            if not (line := lines.readline()):
                broken = True
                break
            record += line
        if broken:
            break
        if not record.isspace():
            expected.append(_read(record, delimiter))
    if broken:
        found, why = until_error(source(path))
        assert "never closed" in why
    else:
        found = texts(path)
    assert [cell if cell and cell.startswith(REFUSED) is False else None for cell in found] == expected


REFUSED = ("the row has", "not a row of CSV")


def _is_open(record: str, delimiter: str) -> bool:
    """Whether a record goes on: an `x` behind it would be in its quotes, not a record of its own."""
    masked = record.rstrip("\r\n").replace("\r", "?") + "\n"
    return len([*csv.reader([masked, "x\n"], delimiter=delimiter)]) == 1


def _read(record: str, delimiter: str) -> str | None:
    try:
        (cells,) = csv.reader([record], delimiter=delimiter)
    except csv.Error:
        return None
    return cells[0] or None if len(cells) == 1 else None


@given(st.lists(st.lists(st.text("ax,\r\n \"'é", max_size=6), min_size=2, max_size=2), max_size=6))
def test_what_the_standard_library_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "text"], *rows])
    assert texts(path, FieldNames()) == [text for _, text in rows]
