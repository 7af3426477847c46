"""Whether the text of a string in a reading's dialect, with quoted words or line ends in it, is as sure as another."""

from __future__ import annotations

import re

from src.shared.infrastructure.parsing.resolve.costs import DOUBT
from src.shared.infrastructure.parsing.resolve.doubts import doubted
from src.shared.infrastructure.parsing.resolve.states import Place, State, Text
from src.shared.infrastructure.parsing.resolve.string_edits import inner_quotes

_LINES = DOUBT
"""What a string on several lines costs; no more than that, in a dialect that has them."""
_TO_WEIGH = re.compile(
    r"""
      [\\{}\[\]`~<] | \*\*
    | " \s{0,40} [,，、;；|｜/／·•│،]
    | ["'”’」』＂] \s{0,10} [:：]
    | [,，] \s{0,10} [\w$-]{1,60} \s{0,10} [:：]
    """,
    re.VERBOSE,
)
"""Without one of these a text is nothing but words, some of them in quotes: no member, list, mark or division."""


def is_plain_text(raw: str, begun: State, start: int, end: int) -> bool:
    """Whether nothing is evidence against the string, no key, whose quotes are at `start` and `end`."""
    if raw[start + 1] == raw[end - 1] == '"':  # quotes around all of it may delimit it twice
        return False
    if _TO_WEIGH.search(raw, start + 1, end) is None:
        return True
    text = Text(start, raw[start], *inner_quotes(raw, start, end))
    before = begun.but(role=Place.VALUE)
    read = doubted(raw, before, text, end, mended=False, closed=True)
    return read.steps is before.steps and read.cost - before.cost <= _LINES * ("\n" in raw[start:end])
