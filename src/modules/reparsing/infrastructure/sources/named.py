"""Which source an input is, by its name."""

from __future__ import annotations

from pathlib import Path

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.ports.rows import RowSource
from src.modules.reparsing.infrastructure.sources.jsonl import JsonLines
from src.modules.reparsing.infrastructure.sources.opening import COMPRESSED
from src.shared.domain.language import Message

LINES = (".jsonl", ".ndjson", ".json")


def source_named(name: str) -> RowSource:
    """The source of an input.

    Raises:
        BatchInputError: it is nothing that can be read.
    """
    path = Path(name)
    suffix = path.with_suffix("").suffix if path.suffix in COMPRESSED else path.suffix
    if suffix in LINES:
        return JsonLines(path)
    why = Message(
        f"无法识别的类型；可用：{', '.join(LINES)}", f"not a kind that is read; those are: {', '.join(LINES)}"
    )
    raise BatchInputError.of(name, why)
