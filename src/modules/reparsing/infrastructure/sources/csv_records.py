"""The records of a CSV file as bytes: a record ends with a line, unless that line ends inside quotes.

Splitting comes before reading, so that a record that cannot be read, or is too large to be kept, shifts no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from src.modules.reparsing.infrastructure.sources import row_size
from src.shared.domain.possessive import repeated

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
