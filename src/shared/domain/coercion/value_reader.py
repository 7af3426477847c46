"""Reads the value at one place of a type as the one of its choices that it can be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias

from src.shared.domain.coercion.choices import Choice, is_one
from src.shared.domain.coercion.coercion import (
    TWO_READINGS,
    CoercionKind,
    Doubt,
    Outcome,
    Read,
    Reader,
    not_exact,
    two_readings,
)
from src.shared.domain.coercion.members import MemberReader, is_absent, read_boolean
from src.shared.domain.coercion.numbers import NumberMeaning, folded, is_json_number, is_short, number_reader
from src.shared.domain.expression import repeated
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

_NO_YEAR = not_exact(Phrase("has a year of two digits; write the date as YYYY-MM-DD"))
_MISSING_DAY = not_exact(Phrase("names no day; write the date as YYYY-MM-DD"))
_NO_DATE = not_exact(Phrase("is a bare number and no date; write YYYY-MM-DD"))
_HAS_TIME = not_exact(Phrase("has a time, and only a date is asked for"))


def _read_date(value: object, *, takes_time: bool) -> Outcome:
    """A date, perhaps with a time; None for one in ISO 8601, which the type reads itself."""
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


OBJECTS = frozenset({"model", "model-fields", "typed-dict", "dataclass", "dict", "tagged-union"})
LISTS = frozenset({"list", "set", "frozenset"})
_NUMBERS = frozenset({"int", "float", "decimal"})
_MEMBERS = frozenset({"enum", "literal"})
_OF_NUMBERS = frozenset(
    {
        CoercionKind.NUMBER_TEXT,
        CoercionKind.SEPARATORS,
        CoercionKind.MAGNITUDE,
        CoercionKind.UNIT,
        CoercionKind.PERCENT,
    }
)
_NO_TEXTS = OBJECTS | LISTS | _NUMBERS | _MEMBERS | {"bool", "date", "datetime", "none", "tuple"}
"""Kinds of schemas that take no text, or none but the texts that their readers know."""
_CODES = r"\A[A-Z0-9.]++" + repeated(r"\s++[A-Z0-9.]++", "+") + r"\Z"
"""As in `AAPL MSFT`."""
_PARTED = re.compile(
    rf"""
    [,，、;；|\n\t/•·①-⑳]              # signs between several, or before each of several
    | (?:\A|\s)(?:[-*]|\(?+[0-9]++[.)、）])\s  # the marks of a list
    | {_CODES}
    """,
    re.VERBOSE,
)
_JSON_BEGINS = ("[", "{")
_ARRAYS = LISTS | {"tuple"}
_STRUCTURES = OBJECTS | _ARRAYS
ReadJson: TypeAlias = Callable[[str], Any]
"""The list or the object that a text is; anything else where it is none, or cannot be read without guessing."""
_NO_JSON = not_exact(Phrase("is no whole JSON value; write the object or the array itself"))
_ONE_OR_SEVERAL = Doubt(TWO_READINGS, Phrase("may be one value or several; write an array"))


def value_reader(choices: Sequence[Choice], items: Sequence[Choice], read_json: ReadJson) -> Reader | None:
    """What reads a value that may have one of several types; None where nothing may be coerced.

    Args:
        choices: the types.
        items: those of the elements, where one of `choices` is a list.
        read_json: reads a list or an object that was written as a string.
    """
    if not any(choice.leave for choice in choices):
        return None
    kinds = {choice.kind for choice in choices}
    if kinds <= _STRUCTURES | {"none"} and kinds != {"none"}:
        return partial(_structure, kinds=kinds, items=items, read_json=read_json)
    absent = any(choice.leave and choice.leave.absent for choice in choices)
    if not kinds <= _NO_TEXTS:
        return _absent_alone if absent and "none" in kinds else None
    members = [MemberReader(_members(choice)) for choice in choices if choice.kind in _MEMBERS]
    readers = list(_scalar_readers(choices))
    keeps_digits = "decimal" in kinds
    if "none" in kinds:
        readers.append(_absent_alone)

    takes_numbers = any(choice.leave and choice.leave.meaning is NumberMeaning.PERCENT_OR_RATIO for choice in choices)

    def read(value: object) -> Outcome:
        if takes_numbers and not isinstance(value, str):
            return _agreed([reader(value) for reader in readers])  # only that meaning has a reading of a number
        if not isinstance(value, str) or any(member.takes(value) for member in members):
            return None
        if keeps_digits and not takes_numbers and is_json_number(value):
            return None  # what a `Decimal` is in JSON
        return _agreed([reader(value) for reader in readers])

    return read if readers else None


def _scalar_readers(choices: Iterable[Choice]) -> Iterable[Reader]:
    for choice in choices:
        if choice.leave is None:
            continue
        if choice.kind in _MEMBERS:
            yield MemberReader(_members(choice)).read
        elif choice.kind in _NUMBERS:
            yield number_reader(choice.schema, choice.leave.meaning)
        elif choice.kind in _FIXED:
            yield _FIXED[choice.kind]


_FIXED: dict[str, Reader] = {
    "bool": read_boolean,
    "date": partial(_read_date, takes_time=False),
    "datetime": partial(_read_date, takes_time=True),
}


def _members(choice: Choice) -> Sequence[Any]:
    return list(choice.schema["members" if choice.kind == "enum" else "expected"])


def _absent_alone(value: object) -> Outcome:
    return Read(CoercionKind.ABSENT_WORD, None) if is_absent(value) else None


def _agreed(outcomes: Sequence[Outcome]) -> Outcome:
    """The one reading of several readers; a doubt where they disagree, or where one has two readings."""
    doubts = [outcome for outcome in outcomes if isinstance(outcome, Doubt)]
    reads = [outcome for outcome in outcomes if isinstance(outcome, Read)]
    if not reads or any(doubt.kind == TWO_READINGS for doubt in doubts):
        return next(iter(doubts), None)
    different = {_compared(read): read for read in reads}
    if len(different) > 1:
        return two_readings(*list(different)[:2])
    return min(reads, key=lambda read: isinstance(read.after, float))  # a float holds fewer digits


def _compared(read: Read) -> str:
    """What readings have in common: numbers as the nearest float."""
    is_number = read.kind in _OF_NUMBERS or type(read.after) in (int, float)
    return str(float(Decimal(read.after))) if is_number else json.dumps(read.after, ensure_ascii=False)


def _structure(value: object, kinds: AbstractSet[str], items: Sequence[Choice], read_json: ReadJson) -> Outcome:
    """A list or an object in a string, one value for a list of one, and a word for null."""
    if "none" in kinds and is_absent(value):
        return _absent_alone(value)
    if isinstance(value, str) and value.lstrip().startswith(_JSON_BEGINS):
        read = read_json(value)
        wanted = kinds & (_ARRAYS if isinstance(read, list) else OBJECTS)
        if isinstance(read, (dict, list)) and wanted:
            return Read(CoercionKind.JSON_TEXT, read)
        of_objects = {choice.kind for choice in items} <= _STRUCTURES
        return _NO_JSON if of_objects else _ONE_OR_SEVERAL
    if isinstance(value, list) or value is None or not kinds <= LISTS | {"none"}:
        return None
    return _listed(value, items)


def _listed(value: object, items: Sequence[Choice]) -> Outcome:
    """A value in a list; a text that may be several, or none, is no such value."""
    kinds = {choice.kind for choice in items}
    if isinstance(value, dict):
        objects = [choice for choice in items if choice.kind in OBJECTS]
        if not objects:
            return None
        is_item = any(is_one(choice, value) for choice in objects)
        return Read(CoercionKind.LIST_OF_ONE, [value]) if is_item else _ONE_OR_SEVERAL
    if kinds <= OBJECTS | LISTS:
        return None
    if is_absent(value):
        return two_readings("[]", json.dumps([value], ensure_ascii=False))
    if isinstance(value, str) and _PARTED.search(value.strip()):
        return _ONE_OR_SEVERAL
    return Read(CoercionKind.LIST_OF_ONE, [value])
