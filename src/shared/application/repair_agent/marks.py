"""What can be told of a damaged text without understanding it: its gaps, its bare words, its well-bounded strings.

Every expression is linear: unbounded repetitions are possessive or atomic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from src.shared.domain.latex import is_command
from src.shared.domain.possessive import repeated
from src.shared.domain.reading.lexicon import CLOSERS, FOREIGN_LITERALS, INVISIBLE, OPENERS, QUOTES
from src.shared.domain.reasoning import reasoning_marks

SEPARATORS = ",，、;；"
"""What stands between two members or items; an enumeration comma or a semicolon is damage, but says the same."""
LITERALS = FOREIGN_LITERALS | {word: word for word in ("true", "false", "null")}

_CLOSE = "[" + re.escape("".join(CLOSERS)) + "]"
_OPEN = "[" + re.escape("".join(OPENERS)) + "]"
_QUOTE = "[" + re.escape("".join(QUOTES)) + "]"
_W = rf"[\s{INVISIBLE}]*+"
_BAD = re.escape("".join((*OPENERS, *CLOSERS, *SEPARATORS, '：\n\r\\"`“”„＂＇「」『』')))
_QUOTED_NAME = r"(?:\"[^\"\n]{0,100}+\"|'[^'\n]{0,100}+'|“[^”\n]{0,100}+”|＂[^＂\n]{0,100}+＂|「[^」\n]{0,100}+」)"
_BARE_NAME = r"[\w$][\w$\-]{0,60}+"

BLANKS = re.compile(_W)
COMMENT = re.compile(r"/\*(?>(?:[^*]|\*(?!/))*)\*/|(?://|#)(?P<line>[^\n]*+)")
_BRACKET = re.compile(f"{_OPEN}|{_CLOSE}")
_BRACKET_OR_QUOTE = re.compile(f"{_OPEN}|{_CLOSE}|{_QUOTE}")
WORD = re.compile(r"[+\-]?[\w.][\w.+\-]*+")
BARE_NAME = re.compile(rf"[^\s'‘’=:{_BAD}][^=:{_BAD}]*+")
BARE_TEXT = re.compile(rf"[^\s'‘’:{_BAD}](?>(?:[^'’:{_BAD}]|:(?=\S)|['’](?=\w))*)")
_COMMENT_IN_BARE = re.compile(r"\s(?://|#|/\*)")
_STARTS_AS_LITERAL = re.compile(r"(?:true|false|null|none|nan|undefined|[-+]?inf(?:inity)?)\b", re.IGNORECASE)
_TWO_VALUES = re.compile(r"[-+]?[\d.][\d.,_]*+\s++(?![^\W\d_]|[%°€$¥£])")
"""A number, and after the blank something that is no unit."""
_MARKED_UP = re.compile(r"[*|«»•·●▪]|[-+]\s|&(?:quot|#34);")
STRUCTURE_NEXT = re.compile(rf"{_W}(?:[{SEPARATORS}:：]|{_CLOSE})|[ \t]*+\r?\n")
"""What must stand after a quote that ends a string and has no partner."""
ENDS_MEMBER = re.compile(
    rf"{_W}(?:{_CLOSE}|{_QUOTED_NAME}{_W}[:：]|[{SEPARATORS}]{_W}(?:{_CLOSE}|(?:{_QUOTED_NAME}|{_BARE_NAME}){_W}[:：]))"
)
"""What, after a quote, says that it may end a member's string."""
ENDS_ITEM = re.compile(
    rf"{_W}(?:{_CLOSE}|{_QUOTE}|[{SEPARATORS}]{_W}(?:{_CLOSE}|{_OPEN}|{_QUOTE}|[\d\-]|(?:true|false|null)\b))"
)
"""The same for a string in a list."""
NAMED = re.compile(rf"{_QUOTED_NAME}{_W}[:：]")
NAME_THERE = re.compile(rf"{_QUOTE}?(?P<name>[^\n:={_BAD}]{{1,100}}+)")
_TAIL = re.compile(repeated(rf"\s|{_CLOSE}"))
_BOUNDED_TEXT = (
    r"\"(?>(?:[^\"\\]|\\.)*)\"|'(?>(?:[^'\\]|\\.)*)'|“[^“”]*+”|‘[^‘’]*+’|＂[^＂]*+＂|「[^「」]*+」|『[^『』]*+』"
)
_WELL_BOUNDED = re.compile(
    rf"(?:[{SEPARATORS}:：]|{_OPEN}){_W}(?P<string>{_BOUNDED_TEXT})(?={_W}(?:[{SEPARATORS}:：]|{_CLOSE}))", re.DOTALL
)
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CUT_PATH = re.compile(r"(?<![A-Za-z])[A-Za-z]:[\b\f\n\r\t]\w")
_HIGH_SURROGATES = range(0xD800, 0xDC00)


class Unit(NamedTuple):
    """One character of a string's text, and how many characters it takes to write it."""

    char: str
    length: int


def unit_at(text: str, at: int, *, latex: bool) -> Unit:
    """The character that stands at a place in a string; `latex` says that there is LaTeX beside it.

    An escape that JSON defines is what JSON says, unless it starts a LaTeX command; any other backslash is itself.
    """
    char = text[at : at + 1]
    if char != "\\" or is_command(text, at, evident=latex):
        return Unit(char, 1)
    code = _UNICODE.match(text, at)
    if code is None:
        escaped = _ESCAPES.get(text[at + 1 : at + 2])
        return Unit(escaped, 2) if escaped else Unit(char, 1)
    first, second = code.groups()
    if second and int(first, 16) in _HIGH_SURROGATES:
        pair = bytes.fromhex(first + second).decode("utf-16-be")
        return Unit(pair, code.end() - at)
    return Unit(chr(int(first, 16)), 6)


def has_cut_path(content: str) -> bool:
    r"""Whether a string has a Windows path in which an escape was read (`C:\temp`) beside a backslash that stands."""
    return "\\" in content and _CUT_PATH.search(content) is not None


def is_json_text(content: str) -> bool:
    """Whether a string holds a JSON text of its own, so that the quotes in it are accounted for."""
    if content[:1] not in {"{", "["}:
        return False
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


def skippable_comment(text: str, at: int) -> int:
    """Where the comment at `at` ends; -1 if there is none, or one in which something may stand that counts."""
    comment = COMMENT.match(text, at)
    if comment is None or (comment["line"] and _BRACKET_OR_QUOTE.search(comment["line"])):
        return -1
    return comment.end()


def bare_text(text: str, at: int, *, name: bool) -> str:
    """The whole of what stands at a place without quotes, up to what ends it; empty if nothing does."""
    bare = (BARE_NAME if name else BARE_TEXT).match(text, at)
    if bare is None:
        return ""
    comment = _COMMENT_IN_BARE.search(bare.group())
    return bare.group()[: comment.start() if comment else None].rstrip()


def is_plain_text(bare: str) -> bool:
    """Whether text without quotes can only have been meant as a string: no literal, and not two values."""
    return not (_STARTS_AS_LITERAL.match(bare) or _TWO_VALUES.match(bare))


def is_marked_up(bare: str) -> bool:
    """Whether text without quotes begins or ends with a sign that may be surplus, such as those of bold or a bullet."""
    return _MARKED_UP.match(bare) is not None or bare.endswith(tuple("*|«»"))


def reasoning_end(text: str) -> int:
    """Where the reasoning at the very beginning of a text is over; 0 if there is none, or if it is never closed."""
    marks = list(reasoning_marks(text))
    if not marks or marks[0].closes or text[: marks[0].start].strip():
        return 0
    return next((mark.end for mark in marks if mark.closes and mark.family == marks[0].family), 0)


def object_start(text: str) -> int:
    """Where the first object opens, reasoning left out; -1 if nothing does."""
    start = reasoning_end(text)
    places = [text.find(brace, start) for brace, kind in OPENERS.items() if kind == "{"]
    return min((place for place in places if place >= 0), default=-1)


def is_only_prose(text: str, start: int, end: int) -> bool:
    """Whether a part of the text has neither brackets nor anything that looks like a member."""
    return not (_BRACKET.search(text, start, end) or NAMED.search(text, start, end))


def after_closers(text: str, at: int) -> int:
    """The place after brackets that close what is closed already, and blanks."""
    return _TAIL.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty text too


def well_bounded_strings(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the strings nobody can mistake: structure before the opening quote and after the closing one."""
    return (found.span("string") for found in _WELL_BOUNDED.finditer(text, start, end))
