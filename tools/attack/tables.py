"""Tables and examples as a terminal shows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

_LONGEST = 600
"""Characters of a text or value in an example."""


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay rows out in columns; the first is aligned to the left, the others to the right."""
    lines = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    written = [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    return "\n".join([written[0], "-" * len(written[0]), *written[1:]])


def example(name: str, **parts: Any) -> str:  # noqa: ANN401 - any JSON value
    """Write an example: its name, and each part on a line."""
    width = max(map(len, parts))
    return "\n".join([name, *(f"  {part.ljust(width)}  {shown(value)}" for part, value in parts.items())])


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value on one line: a text as Python writes it, other values as JSON; half a surrogate pair as its escape."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    text = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return text.encode("utf-8", "backslashreplace").decode()
