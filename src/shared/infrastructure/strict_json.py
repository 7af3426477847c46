"""Strict JSON by way of the standard decoder, and what it accepts without a word: duplicated keys, NaN."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.edits import Edit

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],]|-?Infinity|NaN', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_JSON_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
CONTROL_CHARACTER_MESSAGE = "Invalid control character"


class Decoded(NamedTuple):
    """A decoded value, where it ends, and whether it holds something `oddities` would report."""

    data: Any
    end: int
    odd: bool


def decode_at(text: str, start: int, *, control: bool = False) -> Decoded:
    """Decode the JSON value that starts exactly at `start`; with `control`, strings may hold raw control characters.

    Raises:
        ValueError: not JSON; a `json.JSONDecodeError` with the position, except for an integer too long to convert.
        RecursionError: nested deeper than the interpreter's decoder goes.
    """
    odd = control

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal odd
        result = dict(members)
        odd = odd or len(result) != len(members)
        return result

    def constant(name: str) -> float:
        nonlocal odd
        odd = True
        return float(name)

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=constant, strict=not control)
    data, end = decoder.raw_decode(text, start)
    return Decoded(data, end, odd)


def oddities(text: str, start: int, end: int) -> list[Edit]:
    """What a lenient decoder accepted in `text[start:end]`: control characters, duplicated keys, non-finite numbers.

    The text must have been decoded already. Each oddity is an edit that says what strict JSON would have there;
    a duplicated key stands at its later place.
    """
    found: list[Edit] = []
    keys: list[set[str] | None] = []  # per open container: the keys so far, or None for an array
    key_due = False
    for token in _TOKEN.finditer(text, start, end):
        first = text[token.start()]
        if first == '"':
            found += _control_characters(text, token.start(), token.end())
            seen = keys[-1] if keys else None
            if key_due and seen is not None:
                key = json.loads(token.group(), strict=False)
                if key in seen:
                    found.append(Edit(token.start(), len(token.group()), "", RepairKind.DUPLICATE_KEY))
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
            found.append(Edit(token.start(), len(token.group()), token.group(), RepairKind.NON_FINITE_NUMBER))
    return found


def _control_characters(text: str, start: int, end: int) -> list[Edit]:
    return [
        Edit(
            m.start(),
            1,
            _JSON_ESCAPES.get(m.group(), f"\\u{ord(m.group()):04x}"),
            RepairKind.CONTROL_CHARACTER,
        )
        for m in _CONTROL.finditer(text, start, end)
    ]
