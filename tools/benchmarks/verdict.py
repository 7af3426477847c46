"""What became of a text: right, wrong or refused."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from tools.benchmarks.conditions import REFUSE


class Verdict(StrEnum):
    """The outcome of one reading."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    ACCEPTED = "accepted"
    """It had to be refused and was passed off as whole."""
    OVER_BUDGET = "over budget"
    CRASHED = "crashed"


NO_TIME = (Verdict.OVER_BUDGET, Verdict.CRASHED)
"""The verdicts after which the library's process is gone, and no time is known."""


class Refused(Exception):  # noqa: N818 - a verdict, not a failure of the benchmark
    """The library said that it cannot read the text."""


def judge(value: object, expected: object) -> Verdict:
    """Compare a value with what a careful reader takes from the text.

    What is no object counts as refused: who asks for an object sees at once that this is none.
    """
    data = value.model_dump() if isinstance(value, BaseModel) else value
    if not isinstance(data, dict):
        return Verdict.REFUSED
    if expected == REFUSE:
        return Verdict.ACCEPTED
    return Verdict.RIGHT if same(data, expected) else Verdict.WRONG


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Compare two JSON values; true is not 1, but 1 is 1.0, and NaN is itself."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(member, other[key]) for key, member in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other or (one != one and other != other))  # noqa: PLR0124 - only NaN differs from itself
