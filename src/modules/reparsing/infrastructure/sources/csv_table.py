"""Rows of CSV, from a file that may be compressed. Cells are texts as they stand: none is a number or null.

The records of a CSV file as bytes: a record ends with a line, unless that line ends inside quotes.

Splitting comes before reading, so that a record that cannot be read, or is too large to be kept, shifts no other.
"""

from __future__ import annotations

import csv
import re
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
from src.shared.domain.expression import repeated
from src.shared.domain.language import Phrase

_PIECE = 1024 * 1024
_IN_QUOTES = re.compile(repeated('[^"]++|""').encode())
"""What stands in quotes, up to the quote that ends it, or to the end of the piece; `""` is a quote in there."""


class CsvRecord(NamedTuple):
    """A record.

    Attributes:
        line: the number of its first line, from 1.
        content: its bytes with the line's end; None where they are too many.
        whole: whether it ends outside of quotes. Only the last record of a file can lack that.
    """

    line: int
    content: bytes | None
    whole: bool = True


def csv_records(content: BinaryIO, delimiter: bytes) -> Iterator[CsvRecord]:
    """The records of a file, in order; also those of empty lines."""
    next_line = 1
    quotes = _Quotes(delimiter)
    first_line, size, pieces = 1, 0, list[bytes]()
    while piece := content.readline(_PIECE):
        size += len(piece)
        if size <= row_size.ROW_BYTES:
            pieces.append(piece)
        else:
            pieces.clear()
        quotes.read(piece)
        if piece.endswith(b"\n"):
            next_line += 1
            if not quotes.are_open:
                yield CsvRecord(first_line, b"".join(pieces) if pieces else None)
                first_line, size, pieces = next_line, 0, []
    if size:
        yield CsvRecord(first_line, b"".join(pieces) if pieces else None, whole=not quotes.are_open)


class _Quotes:
    """Whether the next byte stands in quotes. Only a quote at the beginning of a cell opens them."""

    def __init__(self, delimiter: bytes) -> None:
        sign = re.escape(delimiter.decode())
        cell = repeated(rf'[^"{sign}\n][^{sign}\n]*+', "?")
        self._plain_cells = re.compile(repeated(cell + sign).encode())
        self._rest_of_cell = re.compile(rf"[^{sign}\n]*+[{sign}\n]?+".encode())
        self._delimiter = delimiter
        self._state = self._begin
        self.are_open = False

    def read(self, piece: bytes) -> None:
        """Go on behind a piece of a line."""
        at = 0
        while at < len(piece):
            at = self._state(piece, at)
        self.are_open = self._state == self._quoted

    def _begin(self, piece: bytes, at: int) -> int:
        """At the beginning of a cell."""
        at = _end(self._plain_cells, piece, at)
        if piece[at : at + 1] == b'"':
            self._state = self._quoted
            return at + 1
        if at < len(piece):
            self._state = self._unquoted
        return at

    def _unquoted(self, piece: bytes, at: int) -> int:
        """Behind the first character of a cell that is not a quote."""
        at = _end(self._rest_of_cell, piece, at)
        if piece[at - 1 : at] in {self._delimiter, b"\n"}:
            self._state = self._begin
        return at

    def _quoted(self, piece: bytes, at: int) -> int:
        at = _end(_IN_QUOTES, piece, at)
        if at < len(piece):
            self._state = self._quote_in_quotes
        return at + 1

    def _quote_in_quotes(self, piece: bytes, at: int) -> int:
        """Behind a quote in quotes: another one makes them one character, anything else ends the quotes."""
        if piece[at : at + 1] == b'"':
            self._state = self._quoted
            return at + 1
        self._state = self._unquoted
        return at


def _end(expression: re.Pattern[bytes], piece: bytes, at: int) -> int:
    match = expression.match(piece, at)
    return match.end() if match else at


class CsvTable(FileRows):
    """As `RowSource`. The first line names the columns; empty lines are no rows."""

    def __init__(self, file: InputFile, names: FieldNames, delimiter: str) -> None:
        """Open nothing yet."""
        super().__init__(file, names)
        self._delimiter = delimiter

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
            raise BatchInputError.of(self.name, Phrase("two columns have the name {twice!r}", twice=twice[0]))
        return cells

    def _row(self, record: CsvRecord, header: list[str]) -> RawRow:
        place = f"{self.name}:{record.line}"
        if record.content is None:
            return RawRow(place, row_size.too_large())
        try:
            cells = self._cells(record.content)
        except csv.Error as error:
            return RawRow(place, Phrase("not a row of CSV: {error}", error=error))
        if len(cells) != len(header):
            return RawRow(
                place,
                Phrase("the row has {count} cells, the header {count2}", count=len(cells), count2=len(header)),
            )
        return RawRow(place, dict(zip(header, cells, strict=True)))

    def _cells(self, content: bytes) -> list[str | bytes]:
        """The cells of a record; as bytes those that are not UTF-8."""
        text = content.decode("utf-8", "surrogateescape")
        (cells,) = csv.reader((text,), delimiter=self._delimiter)
        return [_text(cell) for cell in cells]

    def _never_closed(self, record: CsvRecord) -> BatchInputError:
        return BatchInputError.of(
            self.name,
            Phrase(
                "a quote in the record of line {line} is never closed: the rest of the file is in it", line=record.line
            ),
        )


def _text(cell: str) -> str | bytes:
    if cell.isascii():
        return cell
    try:
        cell.encode("utf-8")
    except UnicodeEncodeError:
        return cell.encode("utf-8", "surrogateescape")
    return cell
