"""What came of reading one text, against the document it was made from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from tools.attack.reader import Crashed, Reading, Refused


class Outcome(StrEnum):
    """What came of it."""

    EQUAL = "equal"
    """The document."""
    REFUSED = "refused"
    """An error of the parser."""
    WRONG = "wrong"
    """Another value, and nothing excuses it."""
    OTHER = "other"
    """Another value, which the text says by itself: it is strict JSON, or was before a second damage."""
    CRASHED = "crashed"
    """An exception that is not the parser's."""


def outcome(reading: Reading, document: Any, plain: Sequence[Any] = ()) -> Outcome:  # noqa: ANN401 - any JSON value
    """Judge a reading; `plain` are the values the text has as strict JSON."""
    if isinstance(reading, Crashed):
        return Outcome.CRASHED
    if isinstance(reading, Refused):
        return Outcome.REFUSED
    if same(reading.data, document):
        return Outcome.EQUAL
    return Outcome.OTHER if any(same(reading.data, value) for value in plain) else Outcome.WRONG


def same(left: Any, right: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether two JSON values are equal in their types too: `True` is not 1, and 1 is not 1.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def strict_values(texts: Sequence[str]) -> list[Any]:
    """The values of those of the texts that are strict JSON."""
    values = []
    for text in texts:
        try:
            values.append(json.loads(text))
        except (ValueError, RecursionError):
            continue
    return values


def all_from(part: Any, whole: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether everything in `part` stands in `whole` at the same place: no other key, no scalar that differs."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and all_from(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) <= len(whole) and all(map(all_from, part, whole))
    return same(part, whole)
