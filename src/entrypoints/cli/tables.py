"""Tables in one style: no frame, space between the columns, identifiers wrapped instead of cut."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich import box
from rich.table import Table

from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.exceptions import json_path


def plain_table(*headers: str) -> Table:
    """A table with these headers."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def value_table(data: object) -> Table:
    """JSON data as a table: the path of each value, and the value."""
    table = plain_table(spoken("字段", "field"), spoken("值", "value"))
    for path, value in leaves(data):
        table.add_row(visible(json_path(path)), visible(value if isinstance(value, str) else _spelled(value)))
    return table


def leaves(value: object) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """The path and value of whatever has no members, in the order of the data."""
    stack: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while stack:
        at, found = stack.pop()
        if isinstance(found, dict) and found:
            stack += [((*at, key), part) for key, part in reversed(found.items())]
        elif isinstance(found, list) and found:
            stack += [((*at, index), part) for index, part in reversed(list(enumerate(found)))]
        else:
            yield at, found


def _spelled(value: object) -> str:
    return json.dumps(value)
