"""Reads the value at one place of a type as the one of its choices that it can be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from src.shared.domain.coercion.choices import Choice
from src.shared.domain.coercion.coercion import TWO_READINGS, CoercionKind, Doubt, Outcome, Read, two_readings
from src.shared.domain.coercion.dates import read_date, read_datetime
from src.shared.domain.coercion.keys import is_one
from src.shared.domain.coercion.members import MemberReader
from src.shared.domain.coercion.nodes import Reader
from src.shared.domain.coercion.numbers import is_json_number, number_reader
from src.shared.domain.coercion.words import is_absent, read_boolean
from src.shared.domain.language import Message
from src.shared.domain.possessive import repeated

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
_ONE_OR_SEVERAL = Doubt(
    TWO_READINGS, Message("可能是一个值，也可能是多个值；请写成数组", "may be one value or several; write an array")
)


def value_reader(choices: Sequence[Choice], items: Sequence[Choice]) -> Reader | None:
    """What reads a value that may have one of several types; None where nothing may be coerced.

    Args:
        choices: the types.
        items: those of the elements, where one of `choices` is a list.
    """
    if not any(choice.leave for choice in choices):
        return None
    kinds = {choice.kind for choice in choices}
    if kinds <= LISTS | {"none"} and kinds & LISTS:
        return partial(_one_for_many, items=items, nullable="none" in kinds)
    absent = any(choice.leave and choice.leave.absent for choice in choices)
    if not kinds <= _NO_TEXTS:
        return _absent_alone if absent and "none" in kinds else None
    members = [MemberReader(_members(choice)) for choice in choices if choice.kind in _MEMBERS]
    readers = list(_scalar_readers(choices))
    keeps_digits = "decimal" in kinds
    if "none" in kinds:
        readers.append(_absent_alone)

    def read(value: object) -> Outcome:
        if not isinstance(value, str) or any(member.takes(value) for member in members):
            return None
        if keeps_digits and is_json_number(value):
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


_FIXED: dict[str, Reader] = {"bool": read_boolean, "date": read_date, "datetime": read_datetime}


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


def _one_for_many(value: object, items: Sequence[Choice], *, nullable: bool) -> Outcome:
    """One value for a list of one."""
    if isinstance(value, list) or value is None:
        return None
    return _absent_alone(value) if nullable and is_absent(value) else _listed(value, items)


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
    if isinstance(value, str) and (_PARTED.search(value.strip()) or value.lstrip().startswith(_JSON_BEGINS)):
        return _ONE_OR_SEVERAL
    return Read(CoercionKind.LIST_OF_ONE, [value])
