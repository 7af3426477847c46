"""Quotes and flags that only notations have, rewritten as JSON has them before a text is looked at."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS

QUOTES = tuple(dict.fromkeys(row.quotes for row in NOTATIONS if row.quotes))
_QUOTE = expression("|".join(map(re.escape, QUOTES)))
_OPENS = expression(r"[:=,(\[{>]\Z")
_CLOSES = expression(r"\s*+(?:[,}\])]|[:<])")
_TAG = expression(r"\s*+<")
_LOOK = 80
"""Most white space before a quote that is passed over to see whether it opens a text."""
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


def with_plain_quotes(raw: str) -> PlainText:
    """The text whose texts in a notation's own quotes are strings of JSON.

    No mark is left in such a string. A quote without its partner stays what it is: then the call cannot be read.
    """
    parts, places, offsets, at, size = [], [0], [0], 0, 0
    quotes = _QUOTE.finditer(raw)
    opened = next(quotes, None)
    while opened is not None:
        closed = next(quotes, None)
        if closed is None:
            break
        lead = raw[max(at, opened.start() - _LOOK) : opened.start()].rstrip()
        if opened.group() != closed.group() or not _OPENS.search(lead) or not _CLOSES.match(raw, closed.end()):
            opened = closed
            continue
        said = raw[opened.end() : closed.start()]
        is_value_of_tag = lead[-1] == ">" and _TAG.match(raw, closed.end()) is not None
        string = said if is_value_of_tag else json.dumps(said, ensure_ascii=False).translate(_HIDDEN)
        parts += [raw[at : opened.start()], string]
        size += opened.start() - at
        places += [size, size + len(string)]
        offsets += [opened.start(), closed.end()]
        size += len(string)
        at = closed.end()
        opened = next(quotes, None)
    return PlainText("".join([*parts, raw[at:]]) if parts else raw, places, offsets)


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
