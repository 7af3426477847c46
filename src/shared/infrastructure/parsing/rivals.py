"""Looks at the text beside the candidates for what may be the real answer, unread.

A rival is text outside all candidates that looks like data. The whole text has to be accounted for. Prose is. A part
that looks like a key and its colon, has escaped quotes, or opens the tag of an answer that never came is not, and a
text with such a part is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from src.shared.domain.expression import expression
from src.shared.domain.reading.signs import MARGIN
from src.shared.infrastructure.parsing.state import Span

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
_SHAPE_SIGN = r"""["'“‘「＂{｛\\&]"""
"""What each of the shapes begins with; prose mostly has none."""
_HAS_SHAPE_SIGN = expression(_SHAPE_SIGN)
_SHAPES = expression(
    rf"""
    {_SHAPE_SIGN}                                     # one set of characters first: a search skips all others fast
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
_OPEN_TAG_AT_END = expression(
    r"<(?:\w{1,20}_)?(?:answer|output|result|response|json|tool_call|function_call|report)>\s*+\Z", re.IGNORECASE
)
_COLON_SIGN = "[:：=]"
_HAS_COLON_SIGN = expression(_COLON_SIGN)
_LINE_MARGIN = rf"[ \t>*\-•|\d.]{{0,{MARGIN}}}"
_MARKS = r"(?:</?+[A-Za-z]{1,10}+>|[*_`~\"'“”‘’「」【】]){0,6}"
_TOLD_KEY = expression(rf'"(?P<name>[^"\\\n]{{1,{KEY_LIMIT}}}+)"\s?:[ ]?')
_DECODER = json.JSONDecoder()
_ENOUGH_FIELDS = 2


def stretches(start: int, end: int, explained: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """What is left between two offsets when the explained spans are taken out."""
    at = start
    for first, last in sorted(explained):
        if at < min(first, end):
            yield Span(at, min(first, end))
        at = max(at, last)
    if at < end:
        yield Span(at, end)


def first_rival(
    text: str, left: Iterable[Span], fields: frozenset[str] = frozenset(), answer: object = None
) -> int | None:
    """The first place in the stretches left over that looks like data; None if all of them are prose.

    Args:
        text: the text they are parts of.
        left: what no candidate covers, in order.
        fields: the names the type knows at its root; lines that begin with two of them (with its only one) are data.
        answer: the value that would be the answer: a member of it that is told again is prose.
    """
    seen: set[str] = set()
    members = answer if isinstance(answer, dict) else {}
    for start, end in left:
        sign = _HAS_SHAPE_SIGN.search(text, start, end)
        found = _SHAPES.search(text, sign.start(), end) if sign else None
        while found and (told := _end_of_member(text, found.start(), members)):
            found = _SHAPES.search(text, told, end)
        if found:
            return found.start()
        may_be_told = fields and _HAS_COLON_SIGN.search(text, start, end)
        for line in _expressions(fields)[0].finditer(text, start, end) if may_be_told else ():
            if _is_told(text, line.end(), members.get(line["name"])):
                continue
            seen.add(line["name"])
            if len(seen) >= min(_ENOUGH_FIELDS, len(fields)):
                return line.start("name")
        if end == len(text) and (tag := _OPEN_TAG_AT_END.search(text, start)):
            return tag.start()
    return None


def _end_of_member(text: str, start: int, members: Mapping[str, object]) -> int | None:
    """The end of a member, quoted in prose, that the answer has with the same value; None if there is none."""
    key = _TOLD_KEY.match(text, start)
    if key is None or key["name"] not in members:
        return None
    return _end_of_value(text, key.end(), members[key["name"]])


def _end_of_value(text: str, start: int, expected: object) -> int | None:
    """The end of a JSON value that is the expected one; None if another stands there, or none."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        is_same = json.dumps(value) == json.dumps(expected)
    except (ValueError, RecursionError):
        return None
    return end if is_same and not text[end : end + 1].isalnum() else None


def _is_told(text: str, start: int, expected: object) -> bool:
    """Whether a line goes on with a value of the answer, as JSON or, if it is a text, as it stands."""
    start += len(text[start : start + MARGIN]) - len(text[start : start + MARGIN].lstrip(" "))
    if expected is None:
        return False
    if isinstance(expected, str) and expected and text.startswith(expected, start):
        return not text[start + len(expected) : start + len(expected) + 1].isalnum()
    return _end_of_value(text, start, expected) is not None


def has_fields(text: str, start: int, end: int, fields: frozenset[str]) -> bool:
    """Whether a part of the text has two of these names (or the only one) as keys, each with a colon."""
    if not fields:
        return False
    seen: set[str] = set()
    for key in _expressions(fields)[1].finditer(text, start, end):
        seen.add(key["name"])
        if len(seen) >= min(_ENOUGH_FIELDS, len(fields)):
            return True
    return False


@lru_cache(maxsize=256)
def _expressions(fields: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A line that begins with a field's name and a colon, and both anywhere, in marks or not."""
    names = f"(?P<name>{'|'.join(re.escape(name) for name in sorted(fields, key=len, reverse=True))})"
    line = expression(rf"^{_LINE_MARGIN}{_MARKS}{names}{_MARKS}{_BLANKS}{_COLON_SIGN}", re.MULTILINE)
    return line, expression(rf"(?<![^\W_]){names}{_MARKS}{_BLANKS}[:：]")
