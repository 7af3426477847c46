"""Between two tokens: white space, invisible signs and comments, each of which must be nothing else."""

from __future__ import annotations

import re

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.parse_reasons import COMMENT_OR_ELEMENT, COMMENT_OR_STRUCTURE
from src.shared.domain.reading.machine import Machine, Place, Refusal
from src.shared.domain.reading.reading import ELISION, PLACEHOLDER
from src.shared.domain.reading.signs import (
    BLANKS,
    CLOSERS,
    CLOSING_QUOTES,
    COLONS,
    COMMAS,
    COMMENT,
    GAP,
    INVISIBLE,
    JSON_BLANKS,
    KEY_LIMIT,
    W,
)
from src.shared.domain.repair import RepairKind

ELISION_LIMIT = 200
"""Characters of a comment in which it has to say that something was left out."""
INDENT_LIMIT = 200
"""Blanks before a comment that stands alone on its line."""
_SPACE = expression(r"\s*+")
_SPACE_OF_JSON = expression(W)
_GAPS = expression(repeated(GAP))
_COMMENT = expression(COMMENT)
_ODD = "".join(sorted({*BLANKS, *INVISIBLE} - {*JSON_BLANKS}))
_ODD_BLANKS = expression(repeated(rf"[ \t\n\r]*+[{_ODD}]++", "+"))
"""White space of other kinds, and what shows nothing, up to the last such character."""
_BEGINS_ODD = frozenset("/#<" + _ODD)
_THINGS = r"(?:rows?|items?|entry|entries|elements?|objects?|fields?|members?|records?|lines?|values?|results?)"
_ELIDING = expression(rf"""
    [/*\#\s<!\-]*+ (?:
        \.\.\. | …
      | (?:and\s++|the\s++)? (?:\d{{1,9}}\s++|some\s++|many\s++|several\s++)?
        (?:more|others?|remaining|additional|further|rest|omitted) \b \s*+
        (?: {_THINGS}\b | (?:here|follows?|below|to\s++come|as\s++needed)\b | [\s.*/>\-]*+\Z )
      | (?:repeat|similar(?:ly)?)\s++for\b
      | (?:etc|and\s++so\s++on) \b
    )
    | .{{0,{ELISION_LIMIT}}} (?: \b(?:omitted|for\s++brevity)\b | 省略 | 以此类推 | 等等 | 其余 )
    """, re.VERBOSE | re.IGNORECASE | re.DOTALL)  # fmt: skip
"""A comment that stands for what was left out."""
_WORD = expression(r"(?://|\#)[^\s/#]")
_MEMBER_AT_WORD = expression(rf"[\w.!?\"'”’)]\"[^\"\n]{{1,{KEY_LIMIT}}}+\"\s*+[{COLONS}]")
"""A comment to the end of the line that touches a member: its own line end is lost."""
_CLOSED_QUOTE = expression(rf"\"\s{{0,10}}[{COMMAS}]?\s{{0,10}}\Z")
_ELLIPSIS = expression(
    rf"(?P<dots>\[(?:\.\.\.|…++)\]|\.\.\.|…++|\"(?:\.\.\.|…)\"(?!\s*+[{COLONS}]))(?P<comma>[{COMMAS}]?)"
)


def skip_space(text: str, at: int) -> int:
    """The place behind white space."""
    return match_end(_SPACE, text, at)


def skip_gap(m: Machine, at: int) -> int:
    """The place behind white space, invisible signs and comments, which are noted.

    Raises:
        Refusal: what looks like a comment may be something else.
    """
    text = m.text
    at = match_end(_SPACE_OF_JSON, text, at)
    if text[at : at + 1] not in _BEGINS_ODD:
        return at
    end = match_end(_GAPS, text, at)
    while at < end:
        comment = _COMMENT.match(text, at, end)
        if comment:
            _check_comment(m, at, comment.group(), text[end : end + 1])
            m.edit(at, len(comment.group()), " ", RepairKind.COMMENT)
            at = comment.end()
            continue
        at = match_end(_SPACE_OF_JSON, m.text, at, end)
        odd = _ODD_BLANKS.match(m.text, at, end)
        if odd:  # one edit, however much of it there is
            blanks, at = odd.group(), odd.end()
            count = len(blanks) - sum(map(blanks.count, JSON_BLANKS))
            m.edits.append(Edit(odd.start(), len(blanks), " ", RepairKind.INVISIBLE_CHARACTER, count))
    return end


def _check_comment(m: Machine, at: int, comment: str, after: str) -> None:
    """Refuse a comment that may be an elision, structure or an element; `after` follows it and its neighbours."""
    if _ELIDING.match(comment):
        if not m.salvage:
            raise Refusal(at, ELISION)
        m.is_lossy = True
        return
    frame = m.stack[-1]
    closes = not frame.items and after in CLOSERS
    is_beside = m.text[at - 1] in CLOSING_QUOTES or _CLOSED_QUOTE.search(comment) is not None
    is_word = _WORD.match(comment) and (comment.endswith(tuple(COMMAS)) or closes)
    if (frame.kind == "[" and is_word) or (is_beside and comment.count('"') % 2 == 1):
        raise Refusal(at, COMMENT_OR_ELEMENT)
    if not comment.startswith(("/*", "<!--")) and _MEMBER_AT_WORD.search(comment):
        raise Refusal(at, COMMENT_OR_ELEMENT)
    before = m.text[max(0, at - INDENT_LIMIT) : at].rstrip(" \t")
    is_apart = (before.endswith("\n") and not m.finished) or comment.startswith(("/*", "<!--"))
    if not is_apart and any(comment.count(one) < comment.count(other) for one, other in ("{}", "[]")):
        raise Refusal(at, COMMENT_OR_STRUCTURE)


def drop_ellipsis(m: Machine, at: int) -> Place:
    """An ellipsis for an item: with salvage, what is left out is given up.

    Raises:
        Refusal: something was left out, and nothing may be lost.
    """
    found = _ELLIPSIS.match(m.text, at)
    if found is None:
        return Place.PASS
    end, frame = found.end("dots"), m.stack[-1]
    is_first = frame.comma < 0 and not frame.items
    behind = skip_space(m.text, found.end())
    if is_first and m.text[behind : behind + 1] in {*CLOSERS}:
        raise Refusal(at, PLACEHOLDER)
    if not m.salvage:
        raise Refusal(at, ELISION)
    m.is_lossy = True
    m.edit(at, end - at, "", RepairKind.ELLIPSIS)
    if found["comma"]:
        m.edit(end, 1, "", None if is_first else RepairKind.DOUBLED_COMMA)
    return m.go(found.end(), Place.INSIDE)


def refuse_ellipsis(m: Machine, at: int) -> Place:
    """An ellipsis for the value of a member.

    Raises:
        Refusal: something was left out.
    """
    if _ELLIPSIS.match(m.text, at):
        raise Refusal(at, ELISION)
    return Place.PASS
