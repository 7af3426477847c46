"""Quotes and flags that only notations have, rewritten as JSON has them before a text is looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated
from src.shared.domain.reading.edits import Edit, EditedText
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


def with_plain_quotes(raw: str) -> EditedText:
    """The text whose texts in a notation's own quotes are strings of JSON.

    No mark is left in such a string. A quote without its partner stays what it is: then the call cannot be read.
    """
    return EditedText(raw, 0, len(raw), [*_strings(raw)])


def _strings(raw: str) -> Iterator[Edit]:
    for found in _STRING.finditer(raw):
        said = found[found.lastindex or 1]
        start = found.start(found.lastindex or 1) - len(QUOTES[(found.lastindex or 1) - 1])
        is_value_of_tag = found.group()[0] == ">" and _TAG.match(raw, found.end()) is not None
        string = said if is_value_of_tag else json.dumps(said, ensure_ascii=False).translate(_HIDDEN)
        yield Edit(start, found.end() - start, string)


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
