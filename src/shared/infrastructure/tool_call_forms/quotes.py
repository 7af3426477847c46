"""Quotes and flags that only notations have, rewritten as JSON has them before a text is looked at."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS

QUOTES = tuple(dict.fromkeys(row.quotes for row in NOTATIONS if row.quotes))
_QUOTES = [re.escape(one).replace('"', "[\"']") for one in QUOTES]
_NO_QUOTE = "[^<]*+" + repeated(rf"(?!{'|'.join(_QUOTES)})<[^<]*+")
_STRING = expression(
    rf"[:=,(\[{{>]\s{{0,80}}+(?:{'|'.join(f'{one}({_NO_QUOTE}){one}' for one in _QUOTES)})(?=\s*+(?:[,}}\])]|[:<]))"
)
"""A text in quotes of a notation, behind a sign and in front of one."""
_TAG = expression(r"\s*+<")
_FLAG = expression(
    r"(?P<string>\"[^\"\\]*+" + repeated(r"\\.[^\"\\]*+") + r"\")|(?P<lead>[{\s])--(?P<key>\w[\w\-]{0,80}+)(?=\s)",
    re.DOTALL,
)
_FLAGS = expression(r"\s*+\{\s*+--\w")


class PlainText(NamedTuple):
    """A text with JSON's quotes only, and what tells where a place of it is in the one that was written.

    Attributes:
        text: the text.
        places: where what was rewritten begins and ends in it.
        offsets: the same places in the text that was written.
    """

    text: str
    places: list[int]
    offsets: list[int]

    def offset(self, place: int) -> int:
        """A place of the text in the one that was written; inside a rewritten part its beginning."""
        at = bisect_right(self.places, place) - 1
        is_rewritten = at % 2 == 1
        return self.offsets[at] if is_rewritten else self.offsets[at] + place - self.places[at]


class Edit(NamedTuple):
    """What stands in place of a part of a text."""

    start: int
    end: int
    text: str


def edited(raw: str, edits: Iterable[Edit]) -> PlainText:
    """A text with edits, which are in order; the text itself if there are none."""
    parts, places, offsets, at, size = [], [0], [0], 0, 0
    for start, end, text in edits:
        parts += [raw[at:start], text]
        places += [size + start - at, size + start - at + len(text)]
        offsets += [start, end]
        at, size = end, places[-1]
    return PlainText("".join([*parts, raw[at:]]) if parts else raw, places, offsets)


def with_plain_quotes(raw: str) -> PlainText:
    """The text whose texts in a notation's own quotes are strings of JSON.

    No mark is left in such a string. A quote without its partner stays what it is: then the call cannot be read.
    """
    return edited(raw, _strings(raw))


def _strings(raw: str) -> Iterator[Edit]:
    for found in _STRING.finditer(raw):
        said = found[found.lastindex or 1]
        start = found.start(found.lastindex or 1) - len(QUOTES[(found.lastindex or 1) - 1])
        is_value_of_tag = found.group()[0] == ">" and _TAG.match(raw, found.end()) is not None
        string = said if is_value_of_tag else json.dumps(said, ensure_ascii=False).translate(_HIDDEN)
        yield Edit(start, found.end(), string)


_HIDDEN = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>[]`~"}
"""Signs of marks, as escapes."""


def without_flags(text: str) -> str:
    """Arguments as JSON, if they are written as `{--key value --other value}`; else the text itself."""
    if not _FLAGS.match(text):
        return text
    is_first = True

    def written(found: re.Match[str]) -> str:
        nonlocal is_first
        if found["string"]:
            return found["string"]
        comma, is_first = ("" if is_first else ","), False
        return f"{comma}{found['lead']}{json.dumps(found['key'])}: "

    return _FLAG.sub(written, text)
