"""Finds text outside all candidates that looks like data: it may be the real answer, which could not be read.

The whole text has to be accounted for. Prose is accounted for. A part that looks like a key and its colon, has escaped
quotes, or opens the tag of an answer that never came is not, and a text with such a part is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.notation import MARGIN

KEY_LIMIT = 60
"""Most characters of a key in what looks like data; a longer quotation is prose."""
BRACE_LIMIT = 200
"""Most characters between a brace and the first quote of what looks like data."""
_MARKUP = r"[*_`~&;]{0,6}+"
_BLANKS = rf"[ \t]{{0,{MARGIN}}}+"
_VALUE = rf"[*_`~]{{0,3}}+{_BLANKS}[*_`~]{{0,3}}+(?:[\"“'‘「{{｛\[［\d\-+]|(?i:true|false|null|none)\b)"
_MARKS_BEFORE = r"[*_`~=<&(\-•·①-⓿【「『“‘⭐]{0,6}+ [ ]?"
_QUOTED = "|".join(
    rf"(?<={opening}) {_MARKS_BEFORE} [\w$@\#\\] [^{no_text}]{{0,{KEY_LIMIT - 1}}}+ {closing}"
    for opening, no_text, closing in (
        *(('"', '"', '"{1,2}+'), ("'", "'", "'{1,2}+"), ("“", r"“”\n", "”")),
        *(("‘", r"‘’\n", "’"), ("「", r"「」\n", "」"), ("＂", r"＂\n", "＂")),
    )
)
"""A key; between straight quotes, which may be doubled, a line end may have come into it."""
_COLON = rf"{_MARKUP} {_BLANKS} (?: [:：] | =>? )"
_SHAPES = re.compile(
    rf"""
    ["'“‘「＂{{｛\\&]                                  # one set of characters first: a search skips all others fast
    (?! (?<= [{{｛] ) \s*+ [{{｛] \s*+ [{{｛] ) (?:    # of many braces in a row only the last can open anything
      # "key": value
      (?<! [=\w\])] . ) (?: {_QUOTED} ) {_COLON} {_VALUE}
      # {{key: or {{key =, but not LaTeX and not a template's braces
    | (?<! [\\\w^$%\#}}{{)] . ) (?<= [{{｛] ) \s{{0,{MARGIN}}}+ {_MARKUP}
      [\w$] [\w$ .\-]{{0,{KEY_LIMIT - 1}}}? {_COLON} (?! [\\:=>] )
      # a brace and a quote, with no other brace in between; but not LaTeX's G{{\"o}}del
    | (?<! [\\^$] . ) (?<= [{{｛] ) (?! \\ " [A-Za-z] \}} ) [^{{}}｛｝"“”„«»「『＂`']{{0,{BRACE_LIMIT}}}+
      (?: ["“”„«»「『＂`] | ' (?! (?<= \w' ) \w ) )
      # \", but not the same
    | (?<= \\ ) " (?! \{{? [A-Za-z] \}} )
      # &quot;key&quot;:
    | (?<= & ) (?: quot | \#34 | \#x22 ) ; {_BLANKS} [:：]
    )
    """,
    re.VERBOSE,
)
_OPEN_TAG_AT_END = re.compile(
    r"<(?:\w{1,20}_)?(?:answer|output|result|response|json|tool_call|function_call|report)>\s*+\Z", re.IGNORECASE
)
_LINE_MARGIN = rf"[ \t>*\-•|\d.]{{0,{MARGIN}}}"
_MARKS = r"(?:</?+[A-Za-z]{1,10}+>|[*_`~\"'“”‘’「」【】]){0,6}"
_ENOUGH_FIELDS = 2


class Stretch(NamedTuple):
    """Part of a text that no candidate covers: from `start` up to, not including, `end`."""

    start: int
    end: int


def stretches(start: int, end: int, explained: Iterable[tuple[int, int]]) -> Iterator[Stretch]:
    """What is left between two offsets when the explained spans are taken out."""
    at = start
    for first, last in sorted(explained):
        if at < min(first, end):
            yield Stretch(at, min(first, end))
        at = max(at, last)
    if at < end:
        yield Stretch(at, end)


def first_rival(text: str, left: Iterable[Stretch], fields: frozenset[str] = frozenset()) -> int | None:
    """The first place in the stretches left over that looks like data; None if all of them are prose.

    Args:
        text: the text they are parts of.
        left: what no candidate covers, in order.
        fields: the names the type knows at its root; lines that begin with two of them (with its only one) are data.
    """
    seen: set[str] = set()
    for start, end in left:
        found = _SHAPES.search(text, start, end)
        if found:
            return found.start()
        for line in _lines(fields).finditer(text, start, end) if fields else ():
            seen.add(line["name"])
            if len(seen) >= min(_ENOUGH_FIELDS, len(fields)):
                return line.start("name")
        if end == len(text) and (tag := _OPEN_TAG_AT_END.search(text, start)):
            return tag.start()
    return None


def has_fields(text: str, start: int, end: int, fields: frozenset[str]) -> bool:
    """Whether a part of the text has two of these names (or the only one) as keys, each with a colon."""
    if not fields:
        return False
    seen: set[str] = set()
    for key in _keys(fields).finditer(text, start, end):
        seen.add(key["name"])
        if len(seen) >= min(_ENOUGH_FIELDS, len(fields)):
            return True
    return False


@lru_cache(maxsize=256)
def _lines(fields: frozenset[str]) -> re.Pattern[str]:
    """Lines that begin with a field's name and a colon."""
    return re.compile(rf"^{_LINE_MARGIN}{_MARKS}(?P<name>{_alternatives(fields)}){_MARKS}{_BLANKS}[:：=]", re.MULTILINE)


@lru_cache(maxsize=256)
def _keys(fields: frozenset[str]) -> re.Pattern[str]:
    """A field's name, in marks or not, and a colon."""
    return re.compile(rf"(?<![^\W_])(?P<name>{_alternatives(fields)}){_MARKS}{_BLANKS}[:：]")


def _alternatives(fields: frozenset[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(fields, key=len, reverse=True))
