"""Lines of JSON from standard input, which can be read one time."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from src.modules.reparsing.domain.ports.rows import SourceRow
from src.modules.reparsing.infrastructure.sources.jsonl import rows_of_lines
from src.modules.reparsing.infrastructure.sources.opening import BLOCK, reading

STANDARD_INPUT = "-"


class StandardInput:
    """As `RowSource`, read while it comes."""

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
        stream = _Joined(self._beginning(), sys.stdin.buffer)
        with reading(self.name):
            for row, size in rows_of_lines(cast("BinaryIO", io.BufferedReader(stream)), self.name):
                yield SourceRow(row, size, 0)

    def beginning(self) -> Iterator[SourceRow]:
        """The rows that are whole in the first block; none of them is used up."""
        block = self._beginning()
        whole = block if len(block) < BLOCK else block.rpartition(b"\n")[0]
        for row, size in rows_of_lines(io.BytesIO(whole), self.name):
            yield SourceRow(row, size, 0)

    def _beginning(self) -> bytes:
        if self._first is None:
            with reading(self.name):
                self._first = sys.stdin.buffer.read(BLOCK)
        return self._first


class _Joined(io.RawIOBase):
    """A block, and then a stream."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._streams = [io.BytesIO(first), rest]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - anything with bytes
        view = memoryview(buffer)
        for stream in self._streams:
            chunk = stream.read(len(view))
            if chunk:
                view[: len(chunk)] = chunk
                return len(chunk)
        return 0
