"""JSON paths such as `$.rows[0].title`: into their steps, and of all values in decoded data."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from typing import Any

from src.shared.domain.exceptions import json_path
from src.shared.domain.possessive import repeated

_QUOTED = '"' + repeated(r'[^"\\]|\\.') + '"'
_STEP = re.compile(rf"\.(?P<name>[^\s.\[\]\"]++)|\[(?P<index>\d++)\]|\[(?P<quoted>{_QUOTED})\]")


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
    """The value at a path.

    Raises:
        LookupError: the data has none there.
        ValueError: it is no path.
    """
    for step in steps_of(path):
        is_there = isinstance(data, dict) if isinstance(step, str) else isinstance(data, list)
        if not is_there:
            raise KeyError(path)
        data = data[step]
    return data


def all_paths(data: object) -> Iterator[str]:
    """The paths of a value and of all values in it."""
    return (path for path, _, _ in _pairs(_NOTHING, data))


def changed_paths(before: object, data: object, complete: Container[str]) -> Iterator[str]:
    """The paths in the data of what was not complete before, or is another value than it was."""
    for path, old, value in _pairs(before, data):
        is_same = isinstance(value, dict | list) or (type(old) is type(value) and old == value)
        if path not in complete or not is_same:
            yield path


_NOTHING = object()


def _pairs(before: object, data: object) -> Iterator[tuple[str, object, object]]:
    """Each value of the data, with its path and what stood there before."""
    left = [("$", before, data)]
    while left:
        path, old, value = left.pop()
        yield path, old, value
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        left += [(path + json_path((step,))[1:], _member(old, step), member) for step, member in reversed([*members])]


def _member(container: object, step: str | int) -> object:
    if isinstance(container, dict):
        return container.get(step, _NOTHING)
    is_there = isinstance(container, list) and isinstance(step, int) and step < len(container)
    return container[step] if is_there else _NOTHING  # type: ignore[index]
