"""Reads a date in a form with one reading; one with two, or without a day or a year, is refused."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, time

from src.shared.domain.coercion.coercion import CoercionKind, Doubt, Outcome, Read, not_exact, two_readings
from src.shared.domain.coercion.numbers import fold, is_short
from src.shared.domain.expression import expression, repeated
from src.shared.domain.language import Phrase

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join((*_NAMES, 'sept', *_MONTHS))})\.?+"
_DAY = r"(?P<day>[0-9]{1,2}+)"
_YEAR = r"(?P<year>[0-9]{4})"
_NUMBER = r"(?P<month>[0-9]{1,2}+)"
_ORDINAL = repeated("st|nd|rd|th", "?")

_FORMS = tuple(
    expression(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}(?P<sign>[-/.]){_NUMBER}(?P=sign){_DAY}",
        rf"{_YEAR}\s?+年\s?+{_NUMBER}\s?+月\s?+{_DAY}\s?+[日号]",
        rf"{_DAY}{_ORDINAL}[ -]{_MONTH},?+[ -]{_YEAR}",
        rf"{_MONTH} {_DAY}{_ORDINAL},?+ {_YEAR}",
    )
)
"""Forms with one reading: the year first, or the month as a word."""
_COMPACT = expression(r"(?P<year>(?:19|20)[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})")
_YEAR_LAST = expression(r"([0-9]{1,2}+)([-/.])([0-9]{1,2}+)\2([0-9]{4})")
_SHORT_YEAR = expression(r"[0-9]{1,2}+([-/.])[0-9]{1,2}+\1[0-9]{2}")
_NO_DAY = expression(
    rf"{_YEAR}(?:[-/.]|\s?+年\s?+){_NUMBER}\s?+月?+|{_MONTH.replace('month', 'name')},?+ [0-9]{{4}}", re.IGNORECASE
)
_BARE = expression(r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)")
_UNIX = expression("1[0-9]{9}" + repeated("[0-9]{3}", "?"))
"""Seconds or milliseconds since 1970 of a day after 2001: what the type reads of itself, and people mean."""
_TIME = expression("[0-9]{1,2}+:[0-9]{2}" + repeated(":[0-9]{2}", "?"))

_NO_YEAR = not_exact(Phrase("has a year of two digits; write the date as YYYY-MM-DD"))
_MISSING_DAY = not_exact(Phrase("names no day; write the date as YYYY-MM-DD"))
_NO_DATE = not_exact(Phrase("is a bare number and no date; write YYYY-MM-DD"))
_HAS_TIME = not_exact(Phrase("has a time, and only a date is asked for"))


def read_date(value: object, *, takes_time: bool) -> Outcome:
    """A date, perhaps with a time; None for one in ISO 8601, which the type reads itself."""
    if not isinstance(value, str) or not is_short(value) or _is_iso(value):
        return None
    text = fold(value)
    before, _, last = text.rpartition(" ")
    clock = _clock(last) if before else None
    day = _day(before if clock else text, has_time=takes_time)
    if not isinstance(day, date):
        return day
    if clock is None:
        return Read(CoercionKind.DATE_FORM, day.isoformat())
    return Read(CoercionKind.DATE_FORM, f"{day.isoformat()}T{clock.isoformat()}") if takes_time else _HAS_TIME


def _is_iso(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return text[4:5] == "-" and text[10:11] in ("", "T", " ", "t", "_")


def _clock(text: str) -> time | None:
    if _TIME.fullmatch(text):
        with suppress(ValueError):
            return time.fromisoformat(text.rjust(len(text) + (text[1] == ":"), "0"))
    return None


def _day(text: str, *, has_time: bool) -> date | Doubt | None:
    if found := next(filter(None, (form.fullmatch(text) for form in _FORMS)), None):
        return _date(found["year"], found["month"], found["day"])
    if compact := _COMPACT.fullmatch(text):
        day = _date(*compact.groups())
        return two_readings(day, f"{text} s (Unix)") if day and has_time else day or _NO_DATE
    if found := _YEAR_LAST.fullmatch(text):
        first, _, second, year = found.groups()
        both = dict.fromkeys(filter(None, (_date(year, first, second), _date(year, second, first))))
        return two_readings(*both) if len(both) > 1 else next(iter(both), None)
    if _SHORT_YEAR.fullmatch(text):
        return _NO_YEAR
    if _NO_DAY.fullmatch(text):
        return _MISSING_DAY
    return _NO_DATE if _BARE.fullmatch(text) and not _UNIX.fullmatch(text) else None


def _date(year: str, month: str, day: str) -> date | None:
    """The date, or None where there is no such day."""
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    with suppress(ValueError):
        return date(int(year), number, int(day))
    return None
