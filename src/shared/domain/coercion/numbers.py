"""Reads a number for a field: what a percent sign means there, and whether the field holds it exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from enum import StrEnum
from math import isfinite, isinf
from typing import Any, NamedTuple

from src.shared.domain.coercion.coercion import CoercionKind, Doubt, Outcome, Read, not_exact, two_readings
from src.shared.domain.coercion.currencies import CODES, SIGNS
from src.shared.domain.expression import expression, repeated
from src.shared.domain.language import Phrase

TEXT_LIMIT = 64
"""Most characters of a text that may be coerced, without the blanks around it; a longer one is prose."""

_TABLE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x2212: "-", 0xFFE5: "¥"}
"""Full-width ASCII, the minus sign and the full-width yen, and what they become."""
_UNSEEN = "\ufeff\u200b"


def fold(text: str) -> str:
    """A text with full-width ASCII as ASCII; not NFKC, which makes `5²` a `52`."""
    return " ".join(text.strip(_UNSEEN).translate(_TABLE).split())


def is_short(text: str) -> bool:
    """Whether a text is no longer than one that may be coerced."""
    return len(text) <= TEXT_LIMIT or len(text.strip()) <= TEXT_LIMIT


MOST_EXPONENT = 400
"""A number with more digits than this before or after its point is not read; no float holds one."""

_EXACT = Context(prec=4 * MOST_EXPONENT)

_MAGNITUDES = {
    "百": 2, "千": 3, "万": 4, "萬": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "億": 8, "十亿": 9, "百亿": 10,
    "千亿": 11, "万亿": 12, "k": 3, "K": 3, "thousand": 3, "M": 6, "mn": 6, "million": 6, "B": 9, "bn": 9,
    "billion": 9, "tn": 12, "trillion": 12,
}  # fmt: skip
"""Powers of ten. Not here, since they have two readings: m (milli), 兆 (10⁶ or 10¹²), T (tera, ton)."""
_IN_WORDS = {
    "¥": "CNY", "元": "CNY", "块": "CNY", "人民币": "CNY", "元人民币": "CNY", "RMB": "CNY", "美元": "USD",
    "港元": "HKD", "港币": "HKD", "欧元": "EUR", "英镑": "GBP", "日元": "JPY", "Fr.": "CHF", "SFr.": "CHF",
    "C$": "CAD NIO", "S$": "SGD",
}  # fmt: skip
"""What people write besides the codes and the signs of `currencies.py`."""
_CODES_OF = {
    word: frozenset([*SIGNS.get(word, ()), *_IN_WORDS.get(word, "").split(), *CODES.intersection([word])])
    for word in (*CODES, *SIGNS, *_IN_WORDS)
}
"""Each code, sign and word with the currencies that it may stand for."""
_WORDS_BEFORE = frozenset({"ALL", "TOP"})
"""Codes that are words before a number: `TOP 10` is no amount."""
_PERCENT = "%"
_CHINESE = expression(r"[\u4e00-\u9fff]")


def _any_of(*words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_WORDS = [word for word in _MAGNITUDES if len(word) > 1 and word.isascii()]
_UNITS = _any_of(*_CODES_OF, "倍", "x", "X", _PERCENT)
_GROUPS = "[0-9]{1,3}+" + repeated("[ ][0-9]{3}(?![0-9])", "+") + repeated("[.,][0-9]++", "?") + "(?![0-9.,_])"
"""Digits whose thousands are parted by blanks."""
_MAGNITUDE = rf"(?!(?:{_UNITS})\Z)(?P<magnitude>(?i:{_any_of(*_WORDS)})|{_any_of(*_MAGNITUDES.keys() - _WORDS)})"
_NUMBER = expression(
    rf"""
    {repeated("(?P<sign>[+-])", "?")}
    {repeated(f"(?P<before>{_any_of(*(_CODES_OF.keys() - _WORDS_BEFORE))})[ ]?+", "?")}
    {repeated("(?P<inner_sign>[+-])", "?")}
    (?P<digits>{_GROUPS}|[0-9.,_]++) {repeated("(?P<exponent>[eE][+-]?+[0-9]{1,4}+)", "?")} [ ]?+
    {repeated(_MAGNITUDE, "?")} [ ]?+
    {repeated(f"(?P<unit>{_UNITS})", "?")}
    """,
    re.VERBOSE,
)
"""A number with all that may stand around its digits; a dash with a blank behind it may be the dash of a list."""
_PLAIN = expression("[0-9]++" + repeated(r"\.[0-9]*+", "?") + r"|\.[0-9]++")
_THREE_DECIMALS = expression(r"[1-9][0-9]{0,2}+\.[0-9]{3}+")
"""What may be a number of four digits or more, its thousands parted by a point."""
_ONE_COMMA = expression(r"[0-9]++,[0-9]++")
_UNDERSCORES = expression("[1-9][0-9]{0,2}+" + repeated("_[0-9]{3}", "+"))
_COMMAS = expression("[1-9][0-9]{0,2}+" + repeated(",[0-9]{3}", "+") + repeated(r"\.[0-9]++", "?"))
_BLANKS = expression("[1-9][0-9]{0,2}+" + repeated(" [0-9]{3}", "+") + repeated("[.,][0-9]++", "?"))
_NARROW = expression("[\u00a0\u2007\u2009\u202f]")
"""Blanks that nobody types between two numbers."""
_POINTS = expression("[1-9][0-9]{0,2}+" + repeated(r"\.[0-9]{3}", "+") + repeated(",[0-9]++", "?"))
_DIGIT = expression(r"[0-9０-９]")

NO_NUMBER = not_exact(Phrase("is not one exact number; write one exact number"))


class Numeral(NamedTuple):
    """A number in a text.

    Attributes:
        value: exactly; of a percentage the number before the sign.
        kind: what the reading took.
        unit: what follows, if it is no currency: `%` or a word for times.
        has_amount: whether there is a currency or a magnitude.
    """

    value: Decimal
    kind: CoercionKind
    unit: str
    has_amount: bool


def read_numeral(text: str, *, is_amount: bool = False) -> Numeral | Doubt | None:
    """The number that a text is; None for a text without any digit, and for one that is too long.

    Blanks part its thousands where it `is_amount`, where it has a currency, or where they are narrow.
    """
    if not is_short(text) or not _DIGIT.search(text):
        return None
    found = _NUMBER.fullmatch(fold(text))
    if found is None or not _belongs_together(found):
        return NO_NUMBER
    before, magnitude, unit = found.group("before", "magnitude", "unit")
    has_currency = bool(before) or unit in _CODES_OF
    digits = _read_digits(found, in_groups=is_amount or has_currency or _NARROW.search(text) is not None)
    if isinstance(digits, Doubt):
        return digits
    power = _MAGNITUDES.get(magnitude) or _MAGNITUDES[magnitude.lower()] if magnitude else 0
    if abs(digits.adjusted() + power) > MOST_EXPONENT:
        return NO_NUMBER
    value = shift(digits, power)
    if "-" in (found["sign"], found["inner_sign"]):
        value = value.copy_negate()
    if unit == _PERCENT:
        kind = CoercionKind.PERCENT
    elif magnitude:
        kind = CoercionKind.MAGNITUDE
    elif unit or before:
        kind = CoercionKind.UNIT
    else:
        kind = CoercionKind.NUMBER_TEXT if _PLAIN.fullmatch(found["digits"]) else CoercionKind.SEPARATORS
    return Numeral(value, kind, "" if has_currency else unit or "", has_currency or bool(magnitude))


def shift(number: Decimal, power: int) -> Decimal:
    """A number times a power of ten, exactly."""
    return number.scaleb(power, _EXACT)


def _belongs_together(found: re.Match[str]) -> bool:
    """Whether there is one sign, one currency, and no percent of money or of a magnitude."""
    before, unit = found["before"], found["unit"]
    if found["sign"] and found["inner_sign"]:
        return False
    if found["exponent"] and (found["magnitude"] or not _PLAIN.fullmatch(found["digits"])):
        return False
    if unit == _PERCENT and (before or found["magnitude"]):
        return False
    return not (before and unit) or not _CODES_OF[before].isdisjoint(_CODES_OF.get(unit, ()))


def _read_digits(found: re.Match[str], *, in_groups: bool) -> Decimal | Doubt:
    """The digits without separators, where the text itself shows what its commas and points are.

    Chinese parts thousands with commas, if at all, and decimals with a point: 万, 亿 and 元 are evidence of that.
    """
    text, exponent = found["digits"], found["exponent"] or ""
    is_chinese = bool(_CHINESE.search(f"{found['magnitude'] or ''}{found['unit'] or ''}"))
    doubt = None if is_chinese or exponent else _doubt_of(text, in_groups=in_groups)
    if doubt:
        return doubt
    if _PLAIN.fullmatch(text):
        return _EXACT.create_decimal(text + exponent)
    if _COMMAS.fullmatch(text) or _UNDERSCORES.fullmatch(text):
        return Decimal(text.replace(",", "").replace("_", ""))
    if _ONE_COMMA.fullmatch(text) and not is_chinese:
        return Decimal(text.replace(",", "."))
    if _BLANKS.fullmatch(text) or (_POINTS.fullmatch(text) and not is_chinese):
        whole = text.replace(" ", "") if " " in text else text.replace(".", "")
        return Decimal(whole.replace(",", "."))
    return NO_NUMBER


def _doubt_of(text: str, *, in_groups: bool) -> Doubt | None:
    """Where one separator may be of thousands or of decimals, or part two numbers.

    In an amount a blank does not part two numbers, and neither does a comma: `€31,20` is one.
    """
    if " " in text and not in_groups:
        return two_readings(text.replace(" ", ""), text.replace(" ", ", "))
    if _THREE_DECIMALS.fullmatch(text):
        return two_readings(text, text.replace(".", ""))
    may_be_thousands = _COMMAS.fullmatch(text) is not None
    if _ONE_COMMA.fullmatch(text) and (may_be_thousands or not in_groups):
        return two_readings(text.replace(",", "."), text.replace(",", "" if may_be_thousands else ", "))
    return None


_JSON_NUMBER = expression("-?+(?:0|[1-9][0-9]*+)" + repeated(r"\.[0-9]++", "?"))
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
    PERCENT_OR_RATIO = "percent_or_ratio"
    """Shares of one, of which a number above 1 is a percentage without its sign: `85%`, `85` and `"85"` are 0.85."""
    AMOUNT = "amount"
    """Amounts, of which `85%` and `25倍` are none."""


_SHARES = (NumberMeaning.RATIO, NumberMeaning.PERCENT, NumberMeaning.PERCENT_OR_RATIO)
_SCALES = {NumberMeaning.RATIO: -2, NumberMeaning.PERCENT_OR_RATIO: -2, NumberMeaning.PERCENT: 0}
"""The power of ten by which a number before a percent sign is multiplied."""


def is_json_number(text: str) -> bool:
    """Whether a text is a number as JSON writes it."""
    return _JSON_NUMBER.fullmatch(text) is not None


def number_reader(schema: Mapping[str, Any], meaning: NumberMeaning) -> Callable[[object], Outcome]:
    """What reads a text as the number that a core schema of `int`, `float` or `decimal` asks for."""
    is_amount = meaning is NumberMeaning.AMOUNT
    scale = _scale_by_bounds(schema) if meaning is NumberMeaning.BY_BOUNDS else _SCALES.get(meaning)
    hold = _HOLDERS[schema["type"]]

    def read(value: object) -> Outcome:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
            value = f"{Decimal(str(value)):f}" if abs(value) > _ONE else value  # of a percentage without its sign
        numeral = read_numeral(value, is_amount=is_amount) if isinstance(value, str) else None
        if not isinstance(numeral, Numeral):
            return numeral
        number, kind = numeral.value, numeral.kind
        if numeral.unit if is_amount else numeral.has_amount and meaning in _SHARES:
            return NO_NUMBER
        if numeral.unit == _PERCENT:
            if scale is None:
                return two_readings(f"{shift(number, -2):f}", f"{number:f}")
            number = shift(number, scale)
        elif meaning is NumberMeaning.PERCENT_OR_RATIO and abs(number) > _ONE:
            number, kind = shift(number, -2), CoercionKind.PERCENT
        elif meaning is NumberMeaning.RATIO and abs(number) >= _ONE:
            return two_readings(f"{number:f}%", f"{shift(number, 2):f}%")
        after = hold(number)
        return after if isinstance(after, Doubt) else Read(kind, after)

    return read


def _scale_by_bounds(schema: Mapping[str, Any]) -> int | None:
    """The power of ten for a percentage of a field with such bounds; None where they do not tell its meaning."""
    most = min((schema[key] for key in ("le", "lt") if key in schema), default=None)
    least = max((schema[key] for key in ("ge", "gt") if key in schema), default=None)
    if most is None or (most <= 0 and least is None):
        return None
    furthest = max(abs(most), 0 if least is None else abs(min(least, 0)))
    if furthest <= _ONE:
        return -2
    return 0 if furthest == _HUNDRED and (most == _HUNDRED or most <= 0) else None


_NO_INTEGER = not_exact(Phrase("is no whole number, and one is asked for"))


def _as_integer(number: Decimal) -> int | Doubt:
    return int(number) if number.as_integer_ratio()[1] == 1 else _NO_INTEGER


def _as_float(number: Decimal) -> float | Doubt:
    value = float(number)
    return NO_NUMBER if isinf(value) or bool(value) != bool(number) else value


_HOLDERS: dict[str, Callable[[Decimal], Any]] = {"int": _as_integer, "float": _as_float, "decimal": "{:f}".format}
"""What makes of a number what a field of that kind holds exactly, or says why it does not."""
