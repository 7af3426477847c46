"""Rows in lines, of JSON or of CSV, from a file that may be compressed; lines of JSON also from standard input.

Cells of CSV are texts as they stand: none is a number or null.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from functools import cache
from typing import Any, BinaryIO

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.record import FieldNames, Row
from src.modules.reparsing.infrastructure.sources import opening
from src.modules.reparsing.infrastructure.sources.opening import BLOCK, identity_of, opened, reading, unreadable
from src.shared.domain.language import Message, Phrase

STANDARD_INPUT = "-"
_BOM = b"\xef\xbb\xbf"
_SKIPPED_AT_ONCE = 1024 * 1024
_LOOKED_AT = 4096


def json_lines(name: str) -> Iterator[Row]:
    """As `RowSource.rows`. Empty lines are no rows, and a byte order mark at the beginning is none of the first row."""
    with opened(name) as (content, stored):
        yield from _lines(content.readline, name, stored.tell)


def json_identity(name: str) -> dict[str, Any]:
    """As `RowSource.identity`, of a file that may hold one large value instead of lines.

    Raises:
        BatchInputError: it does, which is told before anything is read; or it cannot be read.
    """
    with opened(name) as (content, _):
        beginning = content.read(_LOOKED_AT).removeprefix(_BOM).lstrip()
    if beginning.startswith(b"["):
        what, command = Phrase("one JSON array"), "jq -c .[]"
    elif beginning.partition(b"\n")[0].rstrip() == b"{":
        what, command = Phrase("JSON over several lines"), "jq -c ."
    else:
        return identity_of(name)
    why = Phrase(
        "it is {what}, not one object a line; make lines of it: {command} {name} > rows.jsonl",
        what=what,
        command=command,
        name=name,
    )
    raise BatchInputError.of(name, why)


def standard_input() -> RowSource:
    """Lines of JSON, read while they come. Whether they are the same is seen as they are read, but for the first."""

    @cache
    def beginning() -> bytes:
        with reading(STANDARD_INPUT):
            return sys.stdin.buffer.read(BLOCK)

    def rows() -> Iterator[Row]:
        block = io.BytesIO(beginning())

        def read_line(limit: int) -> bytes:
            line = block.readline(limit)
            is_whole = line.endswith(b"\n") or len(line) == limit
            return line if is_whole else line + sys.stdin.buffer.readline(limit - len(line))

        with reading(STANDARD_INPUT):
            yield from _lines(read_line, STANDARD_INPUT)

    def first_rows() -> Iterator[Row]:
        """Those that are whole in the first block."""
        block = beginning()
        whole = block if len(block) < BLOCK else block.rpartition(b"\n")[0]
        return _lines(io.BytesIO(whole).readline, STANDARD_INPUT)

    def identity() -> dict[str, Any]:
        return {"first": hashlib.sha256(beginning()).hexdigest()}

    return RowSource(STANDARD_INPUT, rows, identity, repeatable=False, first_rows=first_rows)


def _lines(read_line: Callable[[int], bytes], name: str, position: Callable[[], int] = lambda: 0) -> Iterator[Row]:
    """The rows in lines; `position` tells how far the source is, which standard input cannot."""
    number = 0
    while line := read_line(opening.ROW_BYTES + 1):
        number += 1
        line = line.removeprefix(_BOM) if number == 1 else line
        place = f"{name}:{number}"
        if len(line) > opening.ROW_BYTES:
            while line and not line.endswith(b"\n"):
                line = read_line(_SKIPPED_AT_ONCE)
            yield opening.oversized_row(place, position())
        elif line and not line.isspace():
            yield Row(place, line, len(line), position())


_RETURN = "\ud800"
"""Stands for a carriage return inside of a line: no text has it that is decoded from UTF-8."""


def csv_rows(name: str, names: FieldNames, delimiter: str) -> Iterator[Row]:
    """As `RowSource.rows`. The first line names the columns; empty lines are no rows.

    A row of more than `ROW_BYTES` is an error, since it may be all of the rest.
    """
    with opened(name) as (content, stored):
        header: list[str] | None = None
        for line, record, cells in _csv_records(content, name, delimiter):
            if not record.strip():
                continue
            if header is None:
                header = _header(cells, name, names)
            else:
                yield Row(f"{name}:{line}", _fields(cells, header), len(record), stored.tell())


def _csv_records(
    content: BinaryIO, name: str, delimiter: str
) -> Iterator[tuple[int, bytes, list[str | bytes] | csv.Error]]:
    """The number of the first line, the bytes and the cells of each record; or what is wrong with it."""
    csv.field_size_limit(max(csv.field_size_limit(), opening.ROW_BYTES))
    lines: list[bytes] = []  # of the record that is being read

    def next_lines() -> Iterator[str]:
        first, room = 1, opening.ROW_BYTES
        while line := content.readline(room + 1):
            room -= len(line)
            if room < 0:
                why = Phrase(
                    "the record of line {line} has more than {row_bytes} bytes, or a quote in it is never closed",
                    line=first,
                    row_bytes=opening.ROW_BYTES,
                )
                raise BatchInputError.of(name, why)
            lines.append(line if reader.line_num else line.removeprefix(_BOM))
            text = _decoded(lines[-1])
            kept = text.rstrip("\r\n")
            yield kept.replace("\r", _RETURN) + text[len(kept) :]
            if not lines:  # the record ended with this line
                first, room = reader.line_num + 1, opening.ROW_BYTES
        if lines:
            why = Phrase(
                "a quote in the record of line {line} is never closed: the rest of the file is in it", line=first
            )
            raise BatchInputError.of(name, why)

    reader = csv.reader(next_lines(), delimiter=delimiter)
    for cells in reader:
        found: list[str | bytes] | csv.Error
        try:
            has_return = any(_RETURN in cell for cell in cells)
            whole = next(csv.reader(map(_decoded, lines), delimiter=delimiter)) if has_return else cells
            found = [*map(_cell, whole)]
        except csv.Error as error:  # a return stands outside of quotes
            found = error
        yield reader.line_num - len(lines) + 1, b"".join(lines), found
        lines.clear()


def _header(cells: list[str | bytes] | csv.Error, name: str, names: FieldNames) -> list[str]:
    """The names of the columns."""
    if isinstance(cells, csv.Error):
        raise unreadable(name, cells)
    header = [cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else cell for cell in cells]
    twice = [column for column, count in Counter(header).items() if count > 1 and column in astuple(names)]
    if twice:
        raise BatchInputError.of(name, Phrase("two columns have the name {twice!r}", twice=twice[0]))
    return header


def _fields(cells: list[str | bytes] | csv.Error, header: Sequence[str]) -> dict[str, object] | Message:
    if isinstance(cells, csv.Error):
        return Phrase("not a row of CSV: {cells}", cells=cells)
    if len(cells) != len(header):
        return Phrase("the row has {count} cells, the header {count2}", count=len(cells), count2=len(header))
    return dict(zip(header, cells, strict=True))


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _cell(text: str) -> str | bytes:
    """A cell; as bytes where it is not UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text
