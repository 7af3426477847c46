"""Compares what an old parser and the new one made of a text."""

from __future__ import annotations

import json
from itertools import islice
from typing import NamedTuple

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
)
from src.modules.reparsing.domain.differences import MISSING, Difference, differences
from src.modules.reparsing.domain.names import well_formed
from src.modules.reparsing.domain.record import Record

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
