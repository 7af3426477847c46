"""Lines of JSON, a row each: from a file that may be compressed, and from standard input."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable, Iterator
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import RawRow
from src.modules.reparsing.infrastructure.sources import opening as row_size
from src.modules.reparsing.infrastructure.sources.opening import BLOCK, FileRows, opened, reading
from src.shared.domain.language import Message, Phrase

BOM = b"\xef\xbb\xbf"
_SKIPPED_AT_ONCE = 1024 * 1024
_LOOKED_AT = 4096
_ARRAY = Phrase("one JSON array")
_SEVERAL_LINES = Phrase("JSON over several lines")


class JsonLines(FileRows):
    """As `RowSource`. Empty lines are no rows, and a byte order mark at the beginning is none of the first row."""

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        with opened(self._file) as (content, file):
            yield from _rows(content.readline, self.name, file.tell)


class JsonFile(JsonLines):
    """As `JsonLines`, from a file that may hold one large value instead: that is told before anything is read."""

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        with opened(self._file) as (content, _):
            beginning = content.read(_LOOKED_AT).removeprefix(BOM).lstrip()
        if beginning.startswith(b"["):
            raise self._not_lines(_ARRAY, "jq -c .[]")
        if beginning.partition(b"\n")[0].rstrip() == b"{":
            raise self._not_lines(_SEVERAL_LINES, "jq -c .")
        return super().identity()

    def _not_lines(self, what: Message, command: str) -> BatchInputError:
        why = Phrase(
            "it is {what}, not one object a line; make lines of it: {command} {name} > rows.jsonl",
            what=what,
            command=command,
            name=self.name,
        )
        return BatchInputError.of(self.name, why)


STANDARD_INPUT = "-"


class StandardInput:
    """As `RowSource`: lines of JSON, read while they come."""

    name = STANDARD_INPUT
    repeatable = False
    total = 0

    def __init__(self) -> None:
        """Read nothing yet."""
        self._first: bytes | None = None

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`: the first block. Whether the rest is the same is seen as it is read."""
        return {"first": hashlib.sha256(self._beginning()).hexdigest()}

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        block = io.BytesIO(self._beginning())

        def read_line(limit: int) -> bytes:
            line = block.readline(limit)
            is_whole = line.endswith(b"\n") or len(line) == limit
            return line if is_whole else line + sys.stdin.buffer.readline(limit - len(line))

        with reading(self.name):
            yield from _rows(read_line, self.name)

    def beginning(self) -> Iterator[SourceRow]:
        """The rows that are whole in the first block; none of them is used up."""
        block = self._beginning()
        whole = block if len(block) < BLOCK else block.rpartition(b"\n")[0]
        return _rows(io.BytesIO(whole).readline, self.name)

    def _beginning(self) -> bytes:
        if self._first is None:
            with reading(self.name):
                self._first = sys.stdin.buffer.read(BLOCK)
        return self._first


def _rows(read_line: Callable[[int], bytes], name: str, position: Callable[[], int] = lambda: 0) -> Iterator[SourceRow]:
    """The rows in lines; `position` tells how far the source is, which standard input cannot."""
    number = 0
    while line := read_line(row_size.ROW_BYTES + 1):
        number += 1
        line = line.removeprefix(BOM) if number == 1 else line
        place = f"{name}:{number}"
        if len(line) > row_size.ROW_BYTES:
            while line and not line.endswith(b"\n"):
                line = read_line(_SKIPPED_AT_ONCE)
            yield SourceRow(RawRow(place, row_size.too_large()), row_size.UNKEPT, position())
        elif line and not line.isspace():
            yield SourceRow(RawRow(place, line), len(line), position())
