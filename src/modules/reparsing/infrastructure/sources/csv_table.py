"""Rows of CSV, from a file that may be compressed. Cells are texts as they stand: none is a number or null."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.ports.rows import SourceRow
from src.modules.reparsing.domain.record import FieldNames, RawRow
from src.modules.reparsing.infrastructure.sources import row_size
from src.modules.reparsing.infrastructure.sources.csv_records import CsvRecord, csv_records
from src.modules.reparsing.infrastructure.sources.jsonl import BOM
from src.modules.reparsing.infrastructure.sources.opening import InputFile, identity_of, opened, unreadable
from src.shared.domain.language import Message


class CsvTable:
    """As `RowSource`. The first line names the columns; empty lines are no rows."""

    repeatable = True

    def __init__(self, file: InputFile, names: FieldNames, delimiter: str) -> None:
        """Open nothing yet."""
        self.name = file.name
        self.total = file.size()
        self._file = file
        self._names = names
        self._delimiter = delimiter

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return identity_of(self._file)

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        csv.field_size_limit(max(csv.field_size_limit(), row_size.ROW_BYTES))  # larger records are not kept
        with opened(self._file) as (content, file):
            header: list[str] | None = None
            for record in csv_records(content, self._delimiter.encode()):
                if not record.whole:
                    raise self._never_closed(record)
                if header is None:
                    header = self._header(record)
                elif record.content is None or not record.content.isspace():
                    yield SourceRow(self._row(record, header), len(record.content or b"x"), file.tell())

    def _header(self, record: CsvRecord) -> list[str] | None:
        """The names of the columns; None for an empty line."""
        if record.content is None:
            raise BatchInputError.of(self.name, row_size.too_large())
        content = record.content.removeprefix(BOM)
        if content.isspace() or not content:
            return None
        try:
            found = self._cells(content)
        except csv.Error as error:
            raise unreadable(self.name, error) from error
        cells = [cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else cell for cell in found]
        twice = [name for name, count in Counter(cells).items() if count > 1 and name in astuple(self._names)]
        if twice:
            raise BatchInputError.of(
                self.name, Message(f"有两列名为 {twice[0]!r}", f"two columns have the name {twice[0]!r}")
            )
        return cells

    def _row(self, record: CsvRecord, header: list[str]) -> RawRow:
        place = f"{self.name}:{record.line}"
        if record.content is None:
            return RawRow(place, row_size.too_large())
        try:
            cells = self._cells(record.content)
        except csv.Error as error:
            return RawRow(place, Message(f"该行不是 CSV：{error}", f"not a row of CSV: {error}"))
        if len(cells) != len(header):
            return RawRow(place, _wrong_length(len(cells), len(header)))
        return RawRow(place, dict(zip(header, cells, strict=True)))

    def _cells(self, content: bytes) -> list[str | bytes]:
        """The cells of a record; as bytes those that are not UTF-8."""
        text = content.decode("utf-8", "surrogateescape")
        (cells,) = csv.reader((text,), delimiter=self._delimiter)
        return [_text(cell) for cell in cells]

    def _never_closed(self, record: CsvRecord) -> BatchInputError:
        zh = f"第 {record.line} 行开始的记录有未闭合的引号，一直到文件末尾"
        en = f"a quote in the record of line {record.line} is never closed: the rest of the file is in it"
        return BatchInputError.of(self.name, Message(zh, en))


def _text(cell: str) -> str | bytes:
    if cell.isascii():
        return cell
    try:
        cell.encode("utf-8")
    except UnicodeEncodeError:
        return cell.encode("utf-8", "surrogateescape")
    return cell


def _wrong_length(cells: int, columns: int) -> Message:
    return Message(f"该行有 {cells} 格，而表头有 {columns} 列", f"the row has {cells} cells, the header {columns}")
