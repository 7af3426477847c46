r"""Escapes what JSON does not allow inside strings: raw line ends and tabs, and quotes of the other kind."""

from __future__ import annotations

import re
from typing import NamedTuple

from src.shared.infrastructure.parsing.regular.marks import APOSTROPHE, QUOTE, SINGLE
from src.shared.infrastructure.parsing.regular.segment import Segments

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_CONTINUED = re.compile(r"\\[\x00-\x1f]")
"""A backslash that would take what is put after it for its own."""


class Bodies(NamedTuple):
    """The texts of all strings as JSON writes them.

    Attributes:
        parts: the texts, and a gap in front of each and after the last.
        controls: how many control characters were escaped.
        apostrophes: how many apostrophes stood in strings between single quotes.
    """

    parts: list[str]
    controls: int = 0
    apostrophes: int = 0


def written(segments: Segments) -> Bodies | None:
    """The strings as JSON writes them; None if a line ends in one, and it may have lost its quote there."""
    parts, quotes, _, mixed = segments
    inside = '"'.join(parts[1::2])
    controls = [char for char in _ESCAPES if char in inside]
    if controls and (_CONTINUED.search(inside) or (quotes != '"' and controls != ["\t"])):
        return None
    if mixed:
        return _of_several_quotes(parts, quotes, controls)
    apostrophes = inside.count(APOSTROPHE) if quotes == "'" else 0
    if quotes == "'" and SINGLE in inside:
        inside = inside.replace(SINGLE, "'")
        parts[1::2] = inside.split('"')
    if not controls:
        return Bodies(parts, apostrophes=apostrophes)
    inside, count = _escaped(inside, controls)
    parts[1::2] = inside.split('"')
    return Bodies(parts, count, apostrophes)


def _of_several_quotes(parts: list[str], quotes: str, controls: list[str]) -> Bodies:
    count = apostrophes = 0
    for at, quote in enumerate(quotes):
        body = parts[2 * at + 1]
        if not body.isalnum():
            apostrophes += body.count(APOSTROPHE) if quote == "'" else 0
            body, escaped = _escaped(requoted(body, quote), controls)
            parts[2 * at + 1] = body
            count += escaped
    return Bodies(parts, count, apostrophes)


def requoted(body: str, quote: str) -> str:
    """The text of a string in some quotes as it is written in double ones."""
    if quote == "'":
        body = body.replace(SINGLE, "'")
    return body.replace('"', QUOTE)  # one in double quotes has none


def _escaped(text: str, controls: list[str]) -> tuple[str, int]:
    """A text with some control characters escaped, and how many they were."""
    count = 0
    for char in controls:
        count += text.count(char)
        text = text.replace(char, _ESCAPES[char])
    return text, count
