"""Where two values of JSON differ.

Numbers are equal by their value, `1` and `1.0` too; `true` is no number. Strings are equal character by character.
Lists are compared item by item, objects by their keys, whose order does not matter. A key that is missing is told as
such.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final, NamedTuple, TypeAlias

from src.shared.domain.exceptions import json_path
from src.shared.domain.one_line import one_line

PATH_LIMIT = 200
"""Most characters of a path."""
ONLY_NEW = ": only new"
"""What stands behind the path of a value that the old reading does not have."""
ONLY_OLD = ": only old"
"""What stands behind the path of a value that the new reading does not have."""
_KEY_LIMIT = 60


class _Missing:
    """No value at all, which is not null."""


MISSING: Final = _Missing()

_Link: TypeAlias = "tuple[_Link, str | int] | None"
"""A path as a list that shares its beginning with the paths beside it: the last step comes first."""
_Pair: TypeAlias = tuple[_Link, Any, Any]


class Difference(NamedTuple):
    """A place at which two readings differ.

    Attributes:
        path: such as `$.rows[0].score`, with `: only new` or `: only old` where one of them has nothing there.
        anywhere: the same for every item of a list: `$.rows[*].score`.
        old, new: the values, or `MISSING`.
    """

    path: str
    anywhere: str
    old: Any
    new: Any


def differences(old: object, new: object) -> Iterator[Difference]:
    """The places at which two values differ, in the order of the new one; keys that it does not have come last.

    Takes linear time. Values may be nested to any depth.
    """
    levels: list[Iterator[_Pair]] = [iter([(None, old, new)])]
    while levels:
        pair = next(levels[-1], None)
        if pair is None:
            levels.pop()
            continue
        at, mine, other = pair
        if isinstance(mine, dict) and isinstance(other, dict):
            levels.append(_members(at, mine, other))
        elif isinstance(mine, list) and isinstance(other, list):
            levels.append(_items(at, mine, other))
        elif not _same(mine, other):
            yield _difference(at, mine, other)


def _members(at: _Link, old: dict[str, Any], new: dict[str, Any]) -> Iterator[_Pair]:
    for key, value in new.items():
        yield (at, key), old.get(key, MISSING), value
    for key, value in old.items():
        if key not in new:
            yield (at, key), value, MISSING


def _items(at: _Link, old: list[Any], new: list[Any]) -> Iterator[_Pair]:
    for index, (mine, other) in enumerate(zip_longest(old, new, fillvalue=MISSING)):
        yield (at, index), mine, other


def _same(old: object, new: object) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return old == new or (old != old and new != new)  # noqa: PLR0124 - so is NaN
    return type(old) is type(new) and old == new


def _difference(at: _Link, old: object, new: object) -> Difference:
    steps: list[str | int] = []
    while at is not None:
        at, step = at
        steps.append(one_line(step, _KEY_LIMIT) if isinstance(step, str) else step)
    steps.reverse()
    which = ONLY_NEW if old is MISSING else ONLY_OLD if new is MISSING else ""
    anywhere = "$" + "".join("[*]" if isinstance(step, int) else json_path((step,))[1:] for step in steps)
    return Difference(_cut(json_path(tuple(steps))) + which, _cut(anywhere) + which, old, new)


def _cut(path: str) -> str:
    return one_line(path, PATH_LIMIT)
