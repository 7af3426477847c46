"""Rows in memory, for tests that need no file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import RawRow


def row(text: str, number: int = 1, **fields: object) -> RawRow:
    """A row of a JSON line."""
    return RawRow(f"memory:{number}", json.dumps({"text": text, **fields}).encode())


def rows(texts: Sequence[str]) -> tuple[RawRow, ...]:
    """A row for each text."""
    return tuple(row(text, number) for number, text in enumerate(texts, 1))


class MemoryRows:
    """As `RowSource`, from a list."""

    repeatable = True

    def __init__(self, texts: Sequence[str], name: str = "memory") -> None:
        self.name = name
        self.total = len(texts)
        self._texts = texts

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return {"size": self.total}

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        for number, text in enumerate(self._texts, 1):
            content = json.dumps({"text": text}).encode()
            yield SourceRow(RawRow(f"{self.name}:{number}", content), len(content), number)
