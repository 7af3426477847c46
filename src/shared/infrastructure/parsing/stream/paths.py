"""JSON paths such as `$.rows[0].title`: into their steps, and of all values in decoded data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from src.shared.domain.exceptions import json_path

_STEP = re.compile(r"\.(?P<name>\w++)|\[(?P<index>\d++)\]|\[(?P<quoted>\"(?:[^\"\\]|\\.)*+\")\]")


def steps_of(path: str) -> tuple[str | int, ...]:
    """The keys and indexes of a path.

    Raises:
        ValueError: it is no path.
    """
    steps: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path) and (step := _STEP.match(path, at)):
        steps.append(step["name"] or (int(step["index"]) if step["index"] else json.loads(step["quoted"])))
        at = step.end()
    if not path.startswith("$") or at < len(path):
        message = f"not a JSON path: {path!r}; one looks like $.rows or $.report.rows[0]"
        raise ValueError(message)
    return tuple(steps)


def value_at(data: Any, path: str) -> Any:  # noqa: ANN401 - decoded JSON
    """The value at a path that is in the data."""
    for step in steps_of(path):
        data = data[step]
    return data


def all_paths(data: object) -> Iterator[str]:
    """The paths of a value and of all values in it, the outermost first."""
    open_: list[tuple[str, object]] = [("$", data)]
    while open_:
        path, value = open_.pop()
        yield path
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        open_ += [(path + json_path((step,))[1:], member) for step, member in members]
