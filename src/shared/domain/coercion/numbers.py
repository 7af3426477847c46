"""Reads a number for a field: what a percent sign means there, and whether the field holds it exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from math import isinf
from typing import Any

from src.shared.domain.coercion.coercion import Doubt, Outcome, Read, not_exact, two_readings
from src.shared.domain.coercion.numerals import NO_NUMBER, Numeral, read_numeral, shifted
from src.shared.domain.possessive import repeated

_JSON_NUMBER = re.compile("-?+(?:0|[1-9][0-9]*+)" + repeated(r"\.[0-9]++", "?"))
_HUNDRED = 100
_ONE = 1


class NumberMeaning(StrEnum):
    """What the numbers of a field are.

    .. versionadded:: 0.1.0
    """

    BY_BOUNDS = "by_bounds"
    """Any; percentages are ratios if the bounds are within -1 and 1, and percent if the upper one is 100."""
    RATIO = "ratio"
    """Shares of one: `85%` is 0.85."""
    PERCENT = "percent"
    """Shares of a hundred: `85%` is 85."""
    AMOUNT = "amount"
    """Amounts, of which `85%` and `25倍` are none."""


_SHARES = (NumberMeaning.RATIO, NumberMeaning.PERCENT)


def is_json_number(text: str) -> bool:
    """Whether a text is a number as JSON writes it."""
    return _JSON_NUMBER.fullmatch(text) is not None


def number_reader(schema: Mapping[str, Any], meaning: NumberMeaning) -> Callable[[object], Outcome]:
    """What reads a text as the number that a core schema of `int`, `float` or `decimal` asks for."""
    scale = _scale(schema, meaning)
    held = _HELD[schema["type"]]

    def read(value: object) -> Outcome:
        numeral = read_numeral(value) if isinstance(value, str) else None
        if not isinstance(numeral, Numeral):
            return numeral
        number = numeral.value
        if numeral.unit if meaning is NumberMeaning.AMOUNT else numeral.has_amount and meaning in _SHARES:
            return NO_NUMBER
        if numeral.is_percent:
            if scale is None:
                return _percent_of_what(number)
            number = shifted(number, scale)
        elif meaning is NumberMeaning.RATIO and abs(number) >= _ONE:
            return two_readings(f"{number:f}%", f"{shifted(number, 2):f}%")
        after = held(number)
        return after if isinstance(after, Doubt) else Read(numeral.kind, after)

    return read


def _percent_of_what(number: Decimal) -> Doubt:
    return two_readings(f"{shifted(number, -2):f}", f"{number:f}")


def _scale(schema: Mapping[str, Any], meaning: NumberMeaning) -> int | None:
    """The power of ten by which a number before a percent sign is multiplied; None where its meaning is unknown."""
    if meaning is not NumberMeaning.BY_BOUNDS:
        return {NumberMeaning.RATIO: -2, NumberMeaning.PERCENT: 0, NumberMeaning.AMOUNT: None}[meaning]
    most = min((schema[key] for key in ("le", "lt") if key in schema), default=None)
    least = max((schema[key] for key in ("ge", "gt") if key in schema), default=None)
    if most is None or (most <= 0 and least is None):
        return None
    furthest = max(abs(most), 0 if least is None else abs(min(least, 0)))
    if furthest <= _ONE:
        return -2
    return 0 if furthest == _HUNDRED and (most == _HUNDRED or most <= 0) else None


_NO_INTEGER = not_exact("不是整数，而这里只要整数", "is no whole number, and one is asked for")


def _integer(number: Decimal) -> int | Doubt:
    return int(number) if number.as_integer_ratio()[1] == 1 else _NO_INTEGER


def _float(number: Decimal) -> float | Doubt:
    value = float(number)
    return NO_NUMBER if isinf(value) or bool(value) != bool(number) else value


def _digits(number: Decimal) -> str:
    return f"{number:f}"


_HELD: dict[str, Callable[[Decimal], Any]] = {"int": _integer, "float": _float, "decimal": _digits}
