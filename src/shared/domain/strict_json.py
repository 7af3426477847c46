"""Reads strict JSON with the standard decoder, and finds what it accepts beyond JSON so that a trace can name it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from math import isfinite
from operator import itemgetter
from os import urandom
from typing import Any, NamedTuple

from src.shared.domain.edits import Edit, Edits, kinds_of, named
from src.shared.domain.expression import expression, repeated
from src.shared.domain.repair import RepairKind

_STRING_TEXT = r'"[^"\\]*+' + repeated(r'\\.[^"\\]*+') + '"'
_CLEAN_TEXT = r'"[^"\\\x00-\x1f]*+' + repeated(r'\\.[^"\\\x00-\x1f]*+') + '"'
_TOKEN = expression(_STRING_TEXT + r"|[{}\[\],]|-?Infinity|NaN|-?\d[\d.eE+\-]*+", re.DOTALL)
_COLON = expression(r"\s*+:")
_MEMBER_LINE = expression(r":[^\n\":]{0,200},[ \t]{0,40}\n")
"""The value of a member and the end of its line, in what was to be one key."""
_UNTIL_CONTROL = expression(repeated(rf'[^"]++|{_CLEAN_TEXT}'), re.DOTALL)
_STRING = expression(_STRING_TEXT, re.DOTALL)
_CONTROL = expression(r"[\x00-\x1f]")
_JSON_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
UNTERMINATED_MESSAGE = "Unterminated string"
"""How the standard decoder's error begins where a string never ends."""
_LINE_IN_KEY = "Line end in a key"
_CONTROL_CHARACTER_MESSAGE = "Invalid control character"


_VALID_ANYWAY = frozenset({RepairKind.DUPLICATE_KEY, RepairKind.NON_FINITE_NUMBER})


def is_damage(edits: Edits) -> bool:
    """Whether the standard decoder, as it comes, would have refused the text without these edits."""
    return not kinds_of(edits) <= _VALID_ANYWAY


class Repeating(dict[str, Any]):
    """An object in which a key stands twice, whose last value counts; `members` are all as they are written."""

    members: list[tuple[str, Any]]


def _repeating(members: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(members)
    if len(result) == len(members):
        return result
    kept = Repeating(result)
    kept.members = members
    return kept


class WrittenFloat(float):
    """A float whose text says more than it holds; `written` is that text."""

    written: str

    def __str__(self) -> str:
        """As it was written: what Pydantic makes a `Decimal` of when it is given Python objects."""
        return self.written

    @property
    def exact(self) -> float | int:
        """What it is where no `Decimal` is asked for: a whole number as an integer, if the float is another one."""
        return _exact(self, self.written)


MINUS_ZERO = "-0"
_LARGEST_EXACT = 2**53
_LARGEST_READ = 2**63
"""From here on Pydantic reads no integer from a float, though the float is that number."""


def _exact(value: float, text: str) -> float | int:
    """A number without an exponent whose fraction is zero, as an integer where that is not read from its float."""
    if abs(value) < _LARGEST_EXACT or not isfinite(value):
        return value
    digits, _, fraction = text.partition(".")
    if fraction.strip("0") or not digits.lstrip("-").isdecimal():
        return value
    whole = int(digits)
    return value if whole == value and abs(value) < _LARGEST_READ else whole


def _integer(text: str) -> float | int:
    return int(text) if text != MINUS_ZERO else written_float(text)


def written_float(text: str) -> float:
    """A JSON number with a point or an exponent, its text kept where the float says less."""
    value = float(text)
    if _says_all(value, text):
        return value
    kept = WrittenFloat(value)
    kept.written = text
    return kept


def _says_all(value: float, text: str) -> bool:
    """Whether Pydantic makes the same `Decimal` of both: from a float it writes no final zero and no exponent."""
    return text[-1] != "0" and "e" not in text and repr(value) == text


_REPLACED = frozenset({dict, list, WrittenFloat})


def with_numbers(data: Any, put: Callable[[WrittenFloat], Any]) -> Any:  # noqa: ANN401 - decoded JSON
    """The data with something else in place of the numbers whose text says more than a float holds."""
    kind = type(data)
    if kind is dict:
        return {key: with_numbers(item, put) if type(item) in _REPLACED else item for key, item in data.items()}
    if kind is list:
        return [with_numbers(item, put) if type(item) in _REPLACED else item for item in data]
    return put(data) if kind is WrittenFloat else data


def json_as_written(data: object) -> str:
    """Decoded data as JSON, with the digits that its numbers were written with; a `Decimal` counts as such a number.

    Raises:
        RecursionError: they are nested too deeply.
    """
    mark = f'"{urandom(16).hex()}'  # no text holds it
    marked = with_numbers(data, lambda number: mark[1:] + number.written)
    first, *pieces = json.dumps(marked, default=lambda number: f"{mark[1:]}{number}").split(mark)
    return first + "".join(piece.replace('"', "", 1) for piece in pieces)


class Decoded(NamedTuple):
    """A decoded value and where it ends.

    Attributes:
        data: the value.
        end: offset after its last character.
        edits: what strict JSON does not have, and the decoder let through: control characters in strings,
            duplicated keys (at their later place), non-finite numbers.
    """

    data: Any
    end: int
    edits: list[Edit]


class Uncounted(str):
    """A text whose lines are not counted: the decoder's errors count all that come before their place, each time."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        """No lines."""
        return 0

    def rfind(self, *_: object) -> int:
        """No line end."""
        return -1


def decode_at(text: str, start: int, *, as_written: bool = False) -> Decoded:
    """Decode the JSON value that starts exactly at `start`; raw control characters may stand in its strings.

    With `as_written`, a number that a float cannot hold keeps its text (`WrittenFloat`).

    Raises:
        ValueError: not JSON; a `json.JSONDecodeError` with the position, except for an integer too long to convert.
        RecursionError: nested deeper than the interpreter's decoder goes.
    """
    try:
        return _decode(text, start, control=False, as_written=as_written)
    except json.JSONDecodeError as error:
        if not error.msg.startswith(_CONTROL_CHARACTER_MESSAGE):
            raise
    return _decode(text, start, control=True, as_written=as_written)


def _decode(text: str, start: int, *, control: bool, as_written: bool) -> Decoded:
    is_odd = False
    try:
        data, end = _DECODERS[control, as_written, False].raw_decode(text, start)
    except OddError:
        data, end = _DECODERS[control, as_written, True].raw_decode(text, start)
        is_odd = True
    edits = named(_control_characters(text, start, end)) if control else []
    if is_odd:
        edits = sorted((*edits, *named(_oddities(text, start, end))), key=itemgetter(0))
    return Decoded(data, end, edits)


class OddError(Exception):
    """The text has what strict JSON does not: the decoder gives up, for one that minds nothing."""


class RepeatedKeyError(OddError):
    """An object of JSON has a key twice.

    Attributes:
        key: the first that comes again.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def unique_keys(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, for the `object_pairs_hook` of a decoder.

    Raises:
        RepeatedKeyError: a key is there twice.
    """
    result = dict(members)
    if len(result) != len(members):
        new = dict.fromkeys(result, True)
        raise RepeatedKeyError(next(key for key, _ in members if not new.pop(key, False)))
    return result


def no_constant(_name: str) -> float:
    """Refuse `NaN` and the like, for the `parse_constant` of a decoder.

    Raises:
        OddError: whichever it is.
    """
    raise OddError


def _finite(text: str) -> float | int:
    number = float(text)
    if not isfinite(number):
        raise OddError
    return number if -_LARGEST_EXACT < number < _LARGEST_EXACT else _exact(number, text)


def _finite_as_written(text: str) -> float:
    number = written_float(text)
    if not isfinite(number):
        raise OddError
    return number


_FLOATS: dict[tuple[bool, bool], Callable[[str], float]] = {
    (False, False): _finite,
    (True, False): _finite_as_written,
    (False, True): lambda text: _exact(float(text), text),
    (True, True): written_float,
}
_DECODERS = {
    (control, as_written, minds_nothing): json.JSONDecoder(
        object_pairs_hook=_repeating if minds_nothing else unique_keys,
        parse_constant=None if minds_nothing else no_constant,
        parse_float=_FLOATS[as_written, minds_nothing],
        parse_int=_integer if as_written else None,
        strict=not control,
    )
    for control, as_written, minds_nothing in product((False, True), repeat=3)
}
"""Made once: they keep nothing of a text. Those that mind something stop at a key that occurs twice and at a number
without an end."""
strict = _DECODERS[False, False, False].raw_decode
"""Decodes strict JSON, and raises `OddError` at what the standard decoder would let through: the value and its end."""
as_it_comes = json.JSONDecoder(parse_constant=no_constant).raw_decode
"""The same, with no function called for each object and each number: of a key that stands twice the last value counts,
and a whole number that no float is is a float."""


def _control_characters(text: str, start: int, end: int) -> Iterator[Edit]:
    """One edit a string: at its first control character, with their number."""
    at = start
    while (at := _UNTIL_CONTROL.match(text, at, end).end()) < end:  # type: ignore[union-attr]  # it matches anything
        string_end = _STRING.match(text, at, end).end()  # type: ignore[union-attr]  # the text has been decoded
        controls = _CONTROL.findall(text, at, string_end)
        if _MEMBER_LINE.search(text, at, string_end) and _COLON.match(text, string_end, end):
            raise json.JSONDecodeError(_LINE_IN_KEY, Uncounted(text), at)
        put = _JSON_ESCAPES.get(controls[0]) or f"\\u{ord(controls[0]):04x}"
        yield Edit(text.index(controls[0], at), 1, put, RepairKind.CONTROL_CHARACTER, len(controls))
        at = string_end


def _oddities(text: str, start: int, end: int) -> Iterator[Edit]:
    keys: list[set[str] | None] = []  # per open container: the keys so far, or None for an array
    key_due = False
    for token in _TOKEN.finditer(text, start, end):
        first = text[token.start()]
        if first == '"':
            seen = keys[-1] if keys else None
            if key_due and seen is not None:
                key = token.group()
                key = json.loads(key, strict=False) if "\\" in key else key[1:-1]
                if key in seen:
                    yield Edit(token.start(), len(token.group()), "", RepairKind.DUPLICATE_KEY)
                seen.add(key)
                key_due = False
        elif first in "{[":
            keys.append(set() if first == "{" else None)
            key_due = first == "{"
        elif first in "}]":
            keys.pop()
        elif first == ",":
            key_due = keys[-1] is not None
        else:
            number = token.group()
            if not number.lstrip("-").isdecimal() and not isfinite(float(number)):  # an integer is, however long it is
                yield Edit(token.start(), len(number), number, RepairKind.NON_FINITE_NUMBER)
