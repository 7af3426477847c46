"""Rows of CSV."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.reparsing.domain.record import FieldNames, Record
from tests.modules.reparsing.infrastructure.sources.read import records, source, texts, until_error


def written(folder: Path, content: bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_cell_that_is_not_utf8_harms_its_row_only_where_it_is_the_text(tmp_path: Path) -> None:
    (record,) = records(written(tmp_path, b"note,text,id\n\xff,\xc3\xa9,\xff\n"))
    assert isinstance(record, Record)
    assert (record.text, record.id) == ("é", "\ufffd")


def test_cell_may_be_longer_than_the_library_takes_by_itself(tmp_path: Path) -> None:
    assert texts(written(tmp_path, b'id,text\n1,"' + b"x" * 200_000 + b'"\n')) == ["x" * 200_000]


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
