"""Rows of CSV, from a file that may be compressed. Cells are texts as they stand: none is a number or null."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from typing import BinaryIO, NamedTuple

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import FieldNames, RawRow
from src.modules.reparsing.infrastructure.sources import opening as row_size
from src.modules.reparsing.infrastructure.sources.jsonl import BOM
from src.modules.reparsing.infrastructure.sources.opening import FileRows, InputFile, opened, unreadable
from src.shared.domain.language import Phrase

_RETURN = "\ud800"
"""Stands for a carriage return inside of a line: no text has it that is decoded from UTF-8."""


class CsvRecord(NamedTuple):
    """A record.

    Attributes:
        line: the number of its first line, from 1.
        content: its bytes with the line's end.
        cells: as bytes those that are not UTF-8; or what is wrong with the record.
    """

    line: int
    content: bytes
    cells: list[str | bytes] | csv.Error


class CsvTable(FileRows):
    """As `RowSource`. The first line names the columns; empty lines are no rows."""

    def __init__(self, file: InputFile, names: FieldNames, delimiter: str) -> None:
        """Open nothing yet."""
        super().__init__(file, names)
        self._delimiter = delimiter

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`; a row of more than `ROW_BYTES` is an error, since it may be all of the rest."""
        with opened(self._file) as (content, file):
            header: list[str] | None = None
            for record in self._records(content):
                if record.content.isspace() or not record.content:
                    continue
                if header is None:
                    header = self._header(record)
                else:
                    yield SourceRow(self._row(record, header), len(record.content), file.tell())

    def _records(self, content: BinaryIO) -> Iterator[CsvRecord]:
        """The records of a file, in order; also those of empty lines."""
        csv.field_size_limit(max(csv.field_size_limit(), row_size.ROW_BYTES))
        lines: list[bytes] = []
        """Of the record that is being read."""

        def next_lines() -> Iterator[str]:
            first, room = 1, row_size.ROW_BYTES
            while line := content.readline(room + 1):
                room -= len(line)
                if room < 0:
                    raise self._too_large(first)
                lines.append(line if reader.line_num else line.removeprefix(BOM))
                yield _without_returns(_decoded(lines[-1]))
                if not lines:  # the record ended with this line
                    first, room = reader.line_num + 1, row_size.ROW_BYTES
            if lines:
                raise self._never_closed(first)

        reader = csv.reader(next_lines(), delimiter=self._delimiter)
        for cells in reader:
            has_return = any(_RETURN in cell for cell in cells)
            found = self._with_returns(lines) if has_return else _texts(cells)
            yield CsvRecord(reader.line_num - len(lines) + 1, b"".join(lines), found)
            lines.clear()

    def _with_returns(self, lines: list[bytes]) -> list[str | bytes] | csv.Error:
        """The cells of a record with carriage returns, which may stand in quotes alone."""
        try:
            return _texts(next(csv.reader(map(_decoded, lines), delimiter=self._delimiter)))
        except csv.Error as error:
            return error

    def _header(self, record: CsvRecord) -> list[str]:
        """The names of the columns."""
        if isinstance(record.cells, csv.Error):
            raise unreadable(self.name, record.cells)
        cells = [cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else cell for cell in record.cells]
        twice = [name for name, count in Counter(cells).items() if count > 1 and name in astuple(self._names)]
        if twice:
            raise BatchInputError.of(self.name, Phrase("two columns have the name {twice!r}", twice=twice[0]))
        return cells

    def _row(self, record: CsvRecord, header: list[str]) -> RawRow:
        place, cells = f"{self.name}:{record.line}", record.cells
        if isinstance(cells, csv.Error):
            return RawRow(place, Phrase("not a row of CSV: {cells}", cells=cells))
        if len(cells) != len(header):
            return RawRow(
                place,
                Phrase("the row has {count} cells, the header {count2}", count=len(cells), count2=len(header)),
            )
        return RawRow(place, dict(zip(header, cells, strict=True)))

    def _too_large(self, line: int) -> BatchInputError:
        return BatchInputError.of(
            self.name,
            Phrase(
                "the record of line {line} has more than {row_bytes} bytes, or a quote in it is never closed",
                line=line,
                row_bytes=row_size.ROW_BYTES,
            ),
        )

    def _never_closed(self, line: int) -> BatchInputError:
        return BatchInputError.of(
            self.name,
            Phrase("a quote in the record of line {line} is never closed: the rest of the file is in it", line=line),
        )


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _without_returns(line: str) -> str:
    """A line whose carriage returns, but for those of its end, are no ends of lines to the reader of CSV."""
    text = line.rstrip("\r\n")
    return text.replace("\r", _RETURN) + line[len(text) :] if "\r" in text else line


def _texts(cells: list[str]) -> list[str | bytes]:
    return [_text(cell) for cell in cells]


def _text(cell: str) -> str | bytes:
    if cell.isascii():
        return cell
    try:
        cell.encode("utf-8")
    except UnicodeEncodeError:
        return cell.encode("utf-8", "surrogateescape")
    return cell
