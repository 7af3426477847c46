"""Rows in memory, for tests that need no file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.record import Row
from src.shared.domain.language import Message


def row(text: str, number: int = 1, **fields: object) -> Row:
    """A row of a JSON line."""
    content = json.dumps({"text": text, **fields}).encode()
    return Row(f"memory:{number}", content, len(content), number)


def memory_rows(texts: Sequence[str], name: str = "memory", **changes: Any) -> RowSource:  # noqa: ANN401 - of any field
    """A source of texts, all but for what is changed."""
    fields: dict[str, Any] = {
        "rows": partial(_rows, texts, name),
        "identity": partial(dict, size=len(texts)),
        "total": len(texts),
    }
    return RowSource(name, **(fields | changes))


def cut_off(texts: Sequence[str]) -> RowSource:
    """A source that breaks off behind its last row."""
    return memory_rows(texts, rows=partial(_rows, texts, "memory", Message("被截断", "cut off")))


def _rows(texts: Sequence[str], name: str, why: Message | None = None) -> Iterator[Row]:
    for number, text in enumerate(texts, 1):
        yield row(text, number)._replace(place=f"{name}:{number}")
    if why:
        raise BatchInputError.of(name, why)
