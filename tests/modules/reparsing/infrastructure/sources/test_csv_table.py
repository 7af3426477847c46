"""Rows of CSV."""

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames, Record
from src.modules.reparsing.infrastructure.sources import opening
from tests.modules.reparsing.infrastructure.sources.read import places, records, source, texts, until_error


def written(folder: Path, content: bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_cells_are_texts_as_they_stand(tmp_path: Path) -> None:
    path = written(tmp_path, b"id,text,model\n007,NULL,\n")
    assert records(path) == [Record(f"{path}:2", "007", "NULL")]


def test_quoted_cells_hold_commas_quotes_and_lines(tmp_path: Path) -> None:
    path = written(tmp_path, b'text,id\n"{""a"": 1,\n""b"": 2}",x\r\n"",y\n')
    assert texts(path) == ['{"a": 1,\n"b": 2}', ""]
    assert places(path) == ["2", "4"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", b'id\ttext\n1\ta,b\n2\t"c\td"\n'),
        ("a.csv.gz", gzip.compress(b'id,text\n1,"a,b"\n2,c\td\n')),
        ("a.csv", b'\xef\xbb\xbf"id","text"\r\n1,"a,b"\r\n\r\n2,c\td'),
        ("b.csv", b'\n\nid,text\n\n1,"a,b"\n  \n2,c\td\n'),
    ],
    ids=["tabs", "gzip", "BOM, CRLF, no final newline", "empty lines"],
)
def test_files_of_every_kind_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    assert texts(written(tmp_path, content, name)) == ["a,b", "c\td"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b"2", "the row has 1 cells, the header 2"),
        (b"2,b,", "the row has 3 cells, the header 2"),
        (b"2,\xff", "not UTF-8: byte 0xff at offset 0"),
        (b"2,a\rb", "not a row of CSV: new-line character seen in unquoted field"),
    ],
    ids=["short", "long", "not UTF-8", "a return without quotes"],
)
def test_broken_row_is_refused_and_shifts_no_other(tmp_path: Path, row: bytes, why: str) -> None:
    first, broken, last = texts(written(tmp_path, b"id,text\n1,a\n" + row + b"\n3,c\n"))
    assert (first, last) == ("a", "c")
    assert why in str(broken)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [(b'5" pipe', '5" pipe'), (b'"a"b', "ab"), (b'"a" ', "a "), (b' "a"', ' "a"'), (b"a\0b", "a\0b"), (b'""', "")],
)
def test_cell_with_stray_quotes_or_a_nul_is_read_as_the_standard_library_reads_it(
    tmp_path: Path, cell: bytes, expected: str
) -> None:
    assert texts(written(tmp_path, b"id,text\n1," + cell + b"\n2,c\n")) == [expected, "c"]


def test_cell_that_is_not_utf8_harms_its_row_only_where_it_is_the_text(tmp_path: Path) -> None:
    (record,) = records(
        written(tmp_path, "note,text,id\n\xff,é,\xff\n".encode("latin-1").replace(b"\xe9", "é".encode()))
    )
    assert isinstance(record, Record)
    assert (record.text, record.id) == ("é", "�")


def test_quote_that_is_never_closed_is_an_error_with_its_line(tmp_path: Path) -> None:
    found, why = until_error(source(written(tmp_path, b'id,text\n1,a\n2,"b\n3,c\n4,d\n')))
    assert found == ["a"]
    assert "the record of line 3 is never closed" in why


@pytest.mark.parametrize("large", [b"x" * 60, b'"' + b'3,"",x\n' * 10 + b'"', b'"' + b"3,x\n" * 20])
@pytest.mark.parametrize("rest", [b"", b"\n3,c\n"])
def test_record_that_is_too_large_ends_the_run_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bytes, rest: bytes
) -> None:
    """It may be all of the rest: a quote that is never closed."""
    monkeypatch.setattr(opening, "ROW_BYTES", 50)
    found, why = until_error(source(written(tmp_path, b'id,text\n1,"a\n"\n2,' + large + rest)))
    assert found == ["a\n"]
    assert "the record of line 4 has more than 50 bytes, or a quote in it is never closed" in why


@pytest.mark.parametrize("row", [b"1," + b"x" * 47 + b"\n", b'1,"' + b"x\n" * 22 + b'"\n'])
def test_record_may_be_as_large_as_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: bytes) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 50)
    assert len(row) <= 50
    assert len(texts(written(tmp_path, b"id,text\n" + row * 3))) == 3


def test_cell_may_be_larger_than_the_limit_of_the_standard_library(tmp_path: Path) -> None:
    assert texts(written(tmp_path, b'id,text\n1,"' + b"x" * 200_000 + b'"\n')) == ["x" * 200_000]


@pytest.mark.parametrize("content", [b"", b"id,text", b"id,text\n", b"\xef\xbb\xbf\n", b"\n\n"])
def test_file_without_rows_has_none(tmp_path: Path, content: bytes) -> None:
    assert texts(written(tmp_path, content)) == []


def test_two_columns_of_a_name_that_is_looked_at_are_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, b"text,id,text\na,1,b\n")
    assert "two columns have the name 'text'" in until_error(source(path))[1]


def test_two_columns_of_a_name_that_is_not_looked_at_harm_nothing(tmp_path: Path) -> None:
    assert texts(written(tmp_path, b"x,text,x,,\n1,a,2,3,4\n")) == ["a"]


@pytest.mark.parametrize("header", [b'id,"te\rxt', b"id,te\rxt\n1,a\n"])
def test_header_that_cannot_be_read_is_an_error(tmp_path: Path, header: bytes) -> None:
    with pytest.raises(BatchInputError):
        texts(written(tmp_path, header))


def test_header_that_is_too_large_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 50)
    assert "more than 50 bytes" in until_error(source(written(tmp_path, b"x," * 30 + b"text\n1,a\n")))[1]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (b'2,"a\rb"\n', "a\rb"),
        (b'2,"a\r\nb\r"\r\n', "a\r\nb\r"),
        (b"2,a\r\r\n", "a"),
        (b'2,"a\r\nb\rc\n\n"x\n', "a\r\nb\rc\n\nx"),
    ],
)
def test_return_in_quotes_is_part_of_the_text(tmp_path: Path, row: bytes, expected: str) -> None:
    assert texts(written(tmp_path, b"id,text\n1,a\n" + row + b"3,c\n")) == ["a", expected, "c"]


def test_lines_of_a_record_with_a_return_outside_of_its_quotes_are_no_rows(tmp_path: Path) -> None:
    path = written(tmp_path, b'id,text\na\rb,"c\nd,e"\n3,c\n')
    broken, last = texts(path)
    assert ("not a row of CSV: new-line character" in str(broken), last, places(path)) == (True, "c", ["2", "4"])


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
