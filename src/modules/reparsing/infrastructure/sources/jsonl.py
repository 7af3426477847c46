"""Lines of JSON, a row each, from a file that may be compressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import RawRow
from src.modules.reparsing.infrastructure.sources import opening as row_size
from src.modules.reparsing.infrastructure.sources.opening import InputFile, identity_of, opened
from src.shared.domain.language import Message

BOM = b"\xef\xbb\xbf"
_SKIPPED_AT_ONCE = 1024 * 1024
_LOOKED_AT = 4096
_ARRAY = Message("一个 JSON 数组", "one JSON array")
_SEVERAL_LINES = Message("跨行的 JSON", "JSON over several lines")


class JsonLines:
    """As `RowSource`. Empty lines are no rows, and a byte order mark at the beginning is none of the first row."""

    repeatable = True

    def __init__(self, file: InputFile) -> None:
        """Open nothing yet."""
        self.name = file.name
        self._file = file
        self.total = file.size()

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return identity_of(self._file)

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        with opened(self._file) as (content, file):
            for row, size in rows_of_lines(content, self.name):
                yield SourceRow(row, size, file.tell())


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
        why = Message(
            f"是{what.zh}，而不是每行一个对象；请转换：{command} {self.name} > rows.jsonl",
            f"it is {what.en}, not one object a line; make lines of it: {command} {self.name} > rows.jsonl",
        )
        return BatchInputError.of(self.name, why)


def rows_of_lines(content: BinaryIO, name: str) -> Iterator[tuple[RawRow, int]]:
    """The rows in a stream of lines, and the bytes of each."""
    number = 0
    while line := content.readline(row_size.ROW_BYTES + 1):
        number += 1
        line = line.removeprefix(BOM) if number == 1 else line
        place = f"{name}:{number}"
        if len(line) > row_size.ROW_BYTES:
            _skip_line(content, line)
            yield RawRow(place, row_size.too_large()), row_size.UNKEPT
        elif line and not line.isspace():
            yield RawRow(place, line), len(line)


def _skip_line(content: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = content.readline(_SKIPPED_AT_ONCE)
