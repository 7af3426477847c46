"""Reads a date in a form that has one reading; `12/11/2025` has two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, time

from src.shared.domain.coercion.coercion import CoercionKind, Doubt, Outcome, Read, not_exact, two_readings
from src.shared.domain.coercion.folded import folded, is_short
from src.shared.domain.possessive import repeated

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
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}(?P<sign>[-/.]){_NUMBER}(?P=sign){_DAY}",
        rf"{_YEAR}\s?+年\s?+{_NUMBER}\s?+月\s?+{_DAY}\s?+[日号]",
        rf"{_DAY}{_ORDINAL}[ -]{_MONTH},?+[ -]{_YEAR}",
        rf"{_MONTH} {_DAY}{_ORDINAL},?+ {_YEAR}",
    )
)
"""Forms with one reading: the year first, or the month as a word."""
_COMPACT = re.compile(r"(?P<year>(?:19|20)[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})")
_YEAR_LAST = re.compile(r"([0-9]{1,2}+)([-/.])([0-9]{1,2}+)\2([0-9]{4})")
_SHORT_YEAR = re.compile(r"[0-9]{1,2}+([-/.])[0-9]{1,2}+\1[0-9]{2}")
_NO_DAY = re.compile(
    rf"{_YEAR}(?:[-/.]|\s?+年\s?+){_NUMBER}\s?+月?+|{_MONTH.replace('month', 'name')},?+ [0-9]{{4}}", re.IGNORECASE
)
_BARE = re.compile(r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)")
_UNIX = re.compile("1[0-9]{9}" + repeated("[0-9]{3}", "?"))
"""Seconds or milliseconds since 1970 of a day after 2001: what the type reads of itself, and people mean."""
_TIME = re.compile("[0-9]{1,2}+:[0-9]{2}" + repeated(":[0-9]{2}", "?"))

_NO_YEAR = not_exact(
    "年份只有两位，无法判定；请写成 YYYY-MM-DD", "has a year of two digits; write the date as YYYY-MM-DD"
)
_MISSING_DAY = not_exact("没有写出日，请写成 YYYY-MM-DD", "names no day; write the date as YYYY-MM-DD")
_NO_DATE = not_exact("只是一个数，不是日期；请写成 YYYY-MM-DD", "is a bare number and no date; write YYYY-MM-DD")
_HAS_TIME = not_exact("日期带有时间，而这里只要日期", "has a time, and only a date is asked for")


def read_date(value: object) -> Outcome:
    """A date; None for one in ISO 8601, which the type reads itself."""
    return _read(value, takes_time=False)


def read_datetime(value: object) -> Outcome:
    """A date with or without a time; None for one in ISO 8601."""
    return _read(value, takes_time=True)


def _read(value: object, *, takes_time: bool) -> Outcome:
    if not isinstance(value, str) or not is_short(value) or _is_iso(value):
        return None
    text = folded(value)
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
    if not _TIME.fullmatch(text):
        return None
    with suppress(ValueError):
        return time.fromisoformat(text.rjust(len(text) + (text[1] == ":"), "0"))
    return None


def _day(text: str, *, has_time: bool) -> date | Doubt | None:
    for form in _FORMS:
        found = form.fullmatch(text)
        if found:
            return _date(found["year"], found["month"], found["day"])
    compact = _COMPACT.fullmatch(text)
    if compact:
        day = _date(*compact.groups())
        return two_readings(day, f"{text} s (Unix)") if day and has_time else day or _NO_DATE
    year_last = _YEAR_LAST.fullmatch(text)
    if year_last:
        return _either(year_last[1], year_last[3], year_last[4])
    if _SHORT_YEAR.fullmatch(text):
        return _NO_YEAR
    if _NO_DAY.fullmatch(text):
        return _MISSING_DAY
    return _NO_DATE if _BARE.fullmatch(text) and not _UNIX.fullmatch(text) else None


def _either(first: str, second: str, year: str) -> date | Doubt | None:
    """Day and month in either order, where one of them is no date or both are the same."""
    readings = list(dict.fromkeys(_dates(year, (first, second), (second, first))))
    return two_readings(*readings) if len(readings) > 1 else next(iter(readings), None)


def _dates(year: str, *orders: tuple[str, str]) -> Iterator[date]:
    for month, day in orders:
        found = _date(year, month, day)
        if found:
            yield found


def _date(year: str, month: str, day: str) -> date | None:
    """The date, or None where there is no such day."""
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    with suppress(ValueError):
        return date(int(year), number, int(day))
    return None
