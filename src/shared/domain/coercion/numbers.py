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
from src.shared.domain.expression import repeated
from src.shared.domain.language import Phrase

TEXT_LIMIT = 64
"""Most characters of a text that may be coerced, without the blanks around it; a longer one is prose."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ALIKE = {0x2212: "-", 0xFFE5: "¥"}
_TABLE = _HALF_WIDTH | _ALIKE
_UNSEEN = "\ufeff\u200b"


def folded(text: str) -> str:
    """The text with full-width ASCII as ASCII; not NFKC, which makes `5²` a `52`."""
    return " ".join(text.strip(_UNSEEN).translate(_TABLE).split())


def is_short(text: str) -> bool:
    """Whether a text is no longer than one that may be coerced."""
    return len(text) <= TEXT_LIMIT or len(text.strip()) <= TEXT_LIMIT


MOST_EXPONENT = 400
"""A number with more digits than this before or after its point is not read; no float holds one."""

_EXACT = Context(prec=4 * MOST_EXPONENT)

_CHINESE_MAGNITUDES = {
    "百": 2, "千": 3, "万": 4, "萬": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "億": 8, "十亿": 9, "百亿": 10,
    "千亿": 11, "万亿": 12,
}  # fmt: skip
_MAGNITUDES = _CHINESE_MAGNITUDES | {
    "k": 3, "K": 3, "thousand": 3, "M": 6, "mn": 6, "million": 6, "B": 9, "bn": 9, "billion": 9, "tn": 12,
    "trillion": 12,
}  # fmt: skip
"""Powers of ten. Not here, since they have two readings: m (milli), 兆 (10⁶ or 10¹²), T (tera, ton)."""
_IN_WORDS = {
    "CNY": ("¥", "元", "块", "人民币", "元人民币", "RMB"),
    "USD": ("美元",),
    "HKD": ("港元", "港币"),
    "EUR": ("欧元",),
    "GBP": ("英镑",),
    "JPY": ("日元",),
    "CHF": ("Fr.", "SFr."),
    "CAD": ("C$",),
    "NIO": ("C$",),
    "SGD": ("S$",),
}
"""What people write besides the codes and the signs of `currencies.py`."""


def _codes_of() -> dict[str, frozenset[str]]:
    """Each code, sign and word with the currencies that it may stand for."""
    found = {code: {code} for code in CODES} | {sign: set(codes.split()) for sign, codes in SIGNS.items()}
    for code, words in _IN_WORDS.items():
        for word in words:
            found.setdefault(word, set()).add(code)
    return {word: frozenset(codes) for word, codes in found.items()}


_CODES_OF = _codes_of()
_WORDS_BEFORE = frozenset({"ALL", "TOP"})
"""Codes that are words before a number: `TOP 10` is no amount."""
_TIMES = ("倍", "x", "X")
_PERCENT = "%"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def _any_of(*words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_WORDS = [word for word in _MAGNITUDES if len(word) > 1 and word.isascii()]
_SIGNS = [word for word in _MAGNITUDES if word not in _WORDS]
_UNITS = _any_of(*_CODES_OF, *_TIMES, _PERCENT)
_GROUPS = "[0-9]{1,3}+" + repeated("[ ][0-9]{3}(?![0-9])", "+") + repeated("[.,][0-9]++", "?") + "(?![0-9.,_])"
"""Digits whose thousands are parted by blanks."""
_MAGNITUDE = rf"(?!(?:{_UNITS})\Z)(?P<magnitude>(?i:{_any_of(*_WORDS)})|{_any_of(*_SIGNS)})"
_NUMBER = re.compile(
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
_PLAIN = re.compile("[0-9]++" + repeated(r"\.[0-9]*+", "?") + r"|\.[0-9]++")
_THREE_DECIMALS = re.compile(r"[1-9][0-9]{0,2}+\.[0-9]{3}+")
"""What may be a number of four digits or more, its thousands parted by a point."""
_ONE_COMMA = re.compile(r"[0-9]++,[0-9]++")
_UNDERSCORES = re.compile("[1-9][0-9]{0,2}+" + repeated("_[0-9]{3}", "+"))
_COMMAS = re.compile("[1-9][0-9]{0,2}+" + repeated(",[0-9]{3}", "+") + repeated(r"\.[0-9]++", "?"))
_BLANKS = re.compile("[1-9][0-9]{0,2}+" + repeated(" [0-9]{3}", "+") + repeated("[.,][0-9]++", "?"))
_NARROW = re.compile("[\u00a0\u2007\u2009\u202f]")
"""Blanks that nobody types between two numbers."""
_POINTS = re.compile("[1-9][0-9]{0,2}+" + repeated(r"\.[0-9]{3}", "+") + repeated(",[0-9]++", "?"))
_DIGIT = re.compile(r"[0-9０-９]")

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
    unit: str = ""
    has_amount: bool = False

    @property
    def is_percent(self) -> bool:
        """Whether a percent sign follows."""
        return self.unit == _PERCENT


def read_numeral(text: str, *, is_amount: bool = False) -> Numeral | Doubt | None:
    """The number that a text is; None for a text without any digit, and for one that is too long.

    Blanks part its thousands where it `is_amount`, where it has a currency, or where they are narrow.
    """
    if not is_short(text) or not _DIGIT.search(text):
        return None
    found = _NUMBER.fullmatch(folded(text))
    if found is None or not _belongs_together(found):
        return NO_NUMBER
    digits = _read_digits(found, in_groups=is_amount or _NARROW.search(text) is not None)
    if not isinstance(digits, Decimal):
        return digits
    power = _power(found["magnitude"])
    if abs(digits.adjusted() + power) > MOST_EXPONENT:
        return NO_NUMBER
    value = shifted(digits, power)
    if "-" in (found["sign"], found["inner_sign"]):
        value = value.copy_negate()
    has_currency = bool(found["before"]) or found["unit"] in _CODES_OF
    unit = "" if has_currency else found["unit"] or ""
    return Numeral(value, _kind(found), unit, has_amount=has_currency or bool(found["magnitude"]))


def shifted(number: Decimal, power: int) -> Decimal:
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


def _power(magnitude: str | None) -> int:
    if magnitude is None:
        return 0
    return _MAGNITUDES.get(magnitude) or _MAGNITUDES[magnitude.lower()]


def _kind(found: re.Match[str]) -> CoercionKind:
    if found["unit"] == _PERCENT:
        return CoercionKind.PERCENT
    if found["magnitude"]:
        return CoercionKind.MAGNITUDE
    if found["unit"] or found["before"]:
        return CoercionKind.UNIT
    return CoercionKind.NUMBER_TEXT if _PLAIN.fullmatch(found["digits"]) else CoercionKind.SEPARATORS


def _read_digits(found: re.Match[str], *, in_groups: bool) -> Decimal | Doubt:
    """The digits without separators, where the text itself shows what its commas and points are.

    Chinese parts thousands with commas, if at all, and decimals with a point: 万, 亿 and 元 are evidence of that.
    """
    text, exponent = found["digits"], found["exponent"] or ""
    is_chinese = bool(_CHINESE.search(f"{found['magnitude'] or ''}{found['unit'] or ''}"))
    in_groups = in_groups or bool(found["before"]) or found["unit"] in _CODES_OF
    doubt = None if is_chinese or exponent else _two_readings(text, in_groups=in_groups)
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


def _two_readings(text: str, *, in_groups: bool) -> Doubt | None:
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
    PERCENT_OR_RATIO = "percent_or_ratio"
    """Shares of one, of which a number above 1 is a percentage without its sign: `85%`, `85` and `"85"` are 0.85."""
    AMOUNT = "amount"
    """Amounts, of which `85%` and `25倍` are none."""


_SHARES = (NumberMeaning.RATIO, NumberMeaning.PERCENT, NumberMeaning.PERCENT_OR_RATIO)


def is_json_number(text: str) -> bool:
    """Whether a text is a number as JSON writes it."""
    return _JSON_NUMBER.fullmatch(text) is not None


def number_reader(schema: Mapping[str, Any], meaning: NumberMeaning) -> Callable[[object], Outcome]:
    """What reads a text as the number that a core schema of `int`, `float` or `decimal` asks for."""
    scale = _scale(schema, meaning)
    held = _HELD[schema["type"]]

    def read(value: object) -> Outcome:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
            value = f"{Decimal(str(value)):f}" if abs(value) > _ONE else value  # of a percentage without its sign
        numeral = read_numeral(value, is_amount=meaning is NumberMeaning.AMOUNT) if isinstance(value, str) else None
        if not isinstance(numeral, Numeral):
            return numeral
        number = numeral.value
        if numeral.unit if meaning is NumberMeaning.AMOUNT else numeral.has_amount and meaning in _SHARES:
            return NO_NUMBER
        if numeral.is_percent:
            if scale is None:
                return _percent_of_what(number)
            number = shifted(number, scale)
        elif meaning is NumberMeaning.PERCENT_OR_RATIO:
            number = shifted(number, -2) if abs(number) > _ONE else number
        elif meaning is NumberMeaning.RATIO and abs(number) >= _ONE:
            return two_readings(f"{number:f}%", f"{shifted(number, 2):f}%")
        after = held(number)
        kind = (
            CoercionKind.PERCENT
            if meaning is NumberMeaning.PERCENT_OR_RATIO and number != numeral.value
            else numeral.kind
        )
        return after if isinstance(after, Doubt) else Read(kind, after)

    return read


def _percent_of_what(number: Decimal) -> Doubt:
    return two_readings(f"{shifted(number, -2):f}", f"{number:f}")


_SCALES = {
    NumberMeaning.RATIO: -2, NumberMeaning.PERCENT_OR_RATIO: -2, NumberMeaning.PERCENT: 0, NumberMeaning.AMOUNT: None,
}  # fmt: skip


def _scale(schema: Mapping[str, Any], meaning: NumberMeaning) -> int | None:
    """The power of ten by which a number before a percent sign is multiplied; None where its meaning is unknown."""
    if meaning is not NumberMeaning.BY_BOUNDS:
        return _SCALES[meaning]
    most = min((schema[key] for key in ("le", "lt") if key in schema), default=None)
    least = max((schema[key] for key in ("ge", "gt") if key in schema), default=None)
    if most is None or (most <= 0 and least is None):
        return None
    furthest = max(abs(most), 0 if least is None else abs(min(least, 0)))
    if furthest <= _ONE:
        return -2
    return 0 if furthest == _HUNDRED and (most == _HUNDRED or most <= 0) else None


_NO_INTEGER = not_exact(Phrase("is no whole number, and one is asked for"))


def _integer(number: Decimal) -> int | Doubt:
    return int(number) if number.as_integer_ratio()[1] == 1 else _NO_INTEGER


def _float(number: Decimal) -> float | Doubt:
    value = float(number)
    return NO_NUMBER if isinf(value) or bool(value) != bool(number) else value


def _digits(number: Decimal) -> str:
    return f"{number:f}"


_HELD: dict[str, Callable[[Decimal], Any]] = {"int": _integer, "float": _float, "decimal": _digits}
