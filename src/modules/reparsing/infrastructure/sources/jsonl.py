"""Lines of JSON, a row each, from a file that may be compressed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from src.modules.reparsing.domain.ports.rows import SourceRow
from src.modules.reparsing.domain.record import RawRow
from src.modules.reparsing.infrastructure.sources.opening import identity_of, opened
from src.shared.domain.language import Message

ROW_BYTES = 64 * 1024 * 1024
"""Size of the largest row that is read; a larger one is refused."""

_BOM = b"\xef\xbb\xbf"
_SKIPPED_AT_ONCE = 1024 * 1024


class JsonLines:
    """As `RowSource`. Empty lines are no rows, and a byte order mark at the beginning is none of the first row."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet."""
        self.name = str(path)
        self._path = path
        self.total = path.stat().st_size if path.is_file() else 0

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return identity_of(self._path)

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        with opened(self._path) as (content, file):
            for row, size in rows_of_lines(content, self.name):
                yield SourceRow(row, size, file.tell())


def rows_of_lines(content: BinaryIO, name: str) -> Iterator[tuple[RawRow, int]]:
    """The rows in a stream of lines, and the bytes of each."""
    number = 0
    while line := content.readline(ROW_BYTES + 1):
        number += 1
        line = line.removeprefix(_BOM) if number == 1 else line
        place = f"{name}:{number}"
        if len(line) > ROW_BYTES:
            _skip_line(content, line)
            yield RawRow(place, too_large()), UNKEPT
        elif not line.isspace() and line:
            yield RawRow(place, line), len(line)


UNKEPT = 1
"""What a row that is not kept counts for."""


def too_large() -> Message:
    """What to say of a row that is too large."""
    return Message(f"该行超过 {ROW_BYTES} 字节", f"the row has more than {ROW_BYTES} bytes")


def _skip_line(content: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = content.readline(_SKIPPED_AT_ONCE)
