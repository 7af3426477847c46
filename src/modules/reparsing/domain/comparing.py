"""Compares what an old parser and the new one made of a text.

Where two values of JSON differ.

Numbers are equal by their value, `1` and `1.0` too; `true` is no number. Strings are equal character by character.
Lists are compared item by item, objects by their keys, whose order does not matter. A key that is missing is told as
such.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Any, Final, NamedTuple, TypeAlias

from src.modules.reparsing.domain.comparison import (
    ERROR_LIMIT,
    EXCERPT_LIMIT,
    PATHS,
    VALUE_LIMIT,
    VALUES_SHOWN,
    Agreement,
    Compared,
    ComparedExample,
    Comparison,
    DifferingValue,
    OldAnswer,
    well_formed,
)
from src.modules.reparsing.domain.record import Record
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


_dumps = json.dumps
"""Held here: an old parser's code may put another function in its place."""
_CUT = " … "
_CUT_HEAD = "… "
_BEFORE = 20
"""How many characters of two long strings are shown before the first that is another one."""
_END_SHARE = 4
"""Of an excerpt, one part in so many is the end of the text: where it was cut off, or what follows the answer."""


class NewAnswer(NamedTuple):
    """What the new parser made of a text.

    Attributes:
        data: what it read, as JSON types and as the outputs hold it.
        error: why it refused the text; empty where it did not.
    """

    data: object = None
    error: str = ""


def compare(record: Record, old: OldAnswer, new: NewAnswer, comparison: Comparison) -> Compared:
    """Compare the two readings of one text, and count it."""
    found: list[Difference] = []
    if old.is_read and not new.error:
        found = list(islice(differences(old.data, new.data), PATHS))
    agreement = _agreement(old, new, found)
    compared = Compared(record.place, record.id, agreement, tuple(each.path for each in found), old.error)
    agent = None if record.agent is None else well_formed(record.agent)
    paths = [each.anywhere for each in found]
    comparison.count(agreement, agent, paths, lambda: _example(compared, record.text or "", old, new, found))
    return compared


def differing_value(difference: Difference) -> DifferingValue:
    """A place at which two readings differ, with excerpts of both; long strings are shown where they part."""
    path, _, old, new = difference
    if isinstance(old, str) and isinstance(new, str):
        start = max(0, _same_beginning(old, new) - _BEFORE)
        if start:
            old, new = _CUT_HEAD + old[start:], _CUT_HEAD + new[start:]
    return DifferingValue(path, _shown(old, VALUE_LIMIT), _shown(new, VALUE_LIMIT))


def _agreement(old: OldAnswer, new: NewAnswer, found: list[Difference]) -> Agreement:
    if new.error:
        return Agreement.ONLY_OLD if old.is_read else Agreement.NEITHER
    if not old.is_read:
        return Agreement.ONLY_NEW
    return Agreement.DIFFERENT if found else Agreement.EQUAL


def _example(compared: Compared, text: str, old: OldAnswer, new: NewAnswer, found: list[Difference]) -> ComparedExample:
    return ComparedExample(
        compared=compared._replace(place=well_formed(compared.place), id=well_formed(compared.id)),
        text=_excerpt(text, EXCERPT_LIMIT),
        old=_shown(old.data, EXCERPT_LIMIT) if old.is_read else "",
        new="" if new.error else _shown(new.data, EXCERPT_LIMIT),
        values=tuple(differing_value(each) for each in found[:VALUES_SHOWN]),
        new_error=_excerpt(new.error, ERROR_LIMIT),
    )


def _same_beginning(one: str, other: str) -> int:
    """How many characters two strings have in common at their beginning."""
    same, rest = 0, min(len(one), len(other))
    while same < rest:
        middle = (same + rest + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            rest = middle - 1
    return same


def _shown(value: object, limit: int) -> str:
    if value is MISSING:
        return ""
    try:
        return _excerpt(_dumps(value, ensure_ascii=False), limit)
    except RecursionError:
        return _CUT.strip()


def _excerpt(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) > limit:
        end = limit // _END_SHARE
        text = text[: limit - end - len(_CUT)] + _CUT + text[-end:]
    return well_formed(text)[:limit]
