"""Between two tokens: white space, comments, invisible characters."""

from __future__ import annotations

import re

from src.shared.domain.notation import CLOSERS, INVISIBLE, NO_MORE
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.budget import STEP
from src.shared.infrastructure.reader.cursor import Cursor
from src.shared.infrastructure.reader.patterns import COMMENT, GAP, INVISIBLES, WHITESPACE

COMMENT_OR_STRUCTURE = Reason(
    "注释里有右括号，无法判定它在何处结束", "a comment with a closing bracket may end in two places"
)
COMMENT_OR_ELEMENT = Reason(
    "列表中的注释可能是未加引号的元素", "what looks like a comment may be an element without quotes"
)
ELISION = Reason("此处省略了内容", "something was left out here")
COMMENT_COST = 8 * STEP
"""Units of work for a comment, which is looked at for what it may be instead."""
ELISION_LIMIT = 200
"""Characters of a comment in which it has to say that something was left out."""
_THINGS = r"(?:rows?|items?|entry|entries|elements?|objects?|fields?|members?|records?|lines?|values?|results?)"
ELIDING_COMMENT = re.compile(
    rf"""
    [/*\#\s]*+ (?:
        \.\.\. | …
      | (?:and\s++|the\s++)? (?:\d{{1,9}}\s++|some\s++|many\s++|several\s++)?
        (?:more|others?|remaining|additional|further|rest|omitted) \b \s*+ (?: {_THINGS}\b | [\s.*/]*+\Z )
      | (?:etc|and\s++so\s++on) \b
    )
    | .{{0,{ELISION_LIMIT}}} (?: \b(?:omitted|for\s++brevity)\b | 省略 | 以此类推 | 等等 | 其余 )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""A comment that stands for what was not written out."""
WORD_COMMENT = re.compile(r"(?://|\#)[^\s/#]")
_SPECIAL = frozenset("/#" + INVISIBLE)


def skip_gap(c: Cursor) -> str:
    """Move to the next token and return its first character, "" at the end of the text."""
    c.pos = WHITESPACE.match(c.text, c.pos).end()  # type: ignore[union-attr]  # it matches the empty text too
    char = c.text[c.pos : c.pos + 1]
    if char in _SPECIAL or char.isspace():
        return _skip_special(c)
    return char


def _skip_special(c: Cursor) -> str:
    end = GAP.match(c.text, c.pos).end()  # type: ignore[union-attr]  # as above
    at = c.pos
    while at < end:
        comment = COMMENT.match(c.text, at, end)
        if comment:
            if may_end_sooner(comment.group()):
                raise c.fail(COMMENT_OR_STRUCTURE, at=at)
            if _may_be_element(c, comment.group(), c.text[end : end + 1]):
                raise c.fail(COMMENT_OR_ELEMENT, at=at)
            if ELIDING_COMMENT.match(comment.group()):
                check_elision(c, at)
            c.spend(COMMENT_COST)
            c.edit(at, comment.end() - at, " ", RepairKind.COMMENT)
            at = comment.end()
            continue
        if INVISIBLES.match(c.text, at) or c.text[at] not in " \t\n\r":
            c.edit(at, 1, " ", RepairKind.INVISIBLE_CHARACTER)
        at += 1
    c.pos = end
    return c.text[end : end + 1]


def may_end_sooner(comment: str) -> bool:
    """Whether a comment to the end of the line has a bracket in it that closes nothing in it."""
    return not comment.startswith("/*") and any(
        comment.count(closer) > comment.count(opener) for opener, closer in ("{}", "[]")
    )


def _may_be_element(c: Cursor, comment: str, after: str) -> bool:
    """Whether a comment in a list (`#AI,`, `//a.com/x`) may be an element without quotes; `after` stands behind all."""
    frame = c.frames[-1] if c.frames else None
    if frame is None or frame.kind != "[" or not WORD_COMMENT.match(comment):
        return False
    return comment.endswith((",", "，")) or (frame.complete_to < 0 and after in CLOSERS)


def check_elision(c: Cursor, at: int) -> None:
    """Contents left out are lost: refuse the text, or remember the loss where what is left is to be kept."""
    if not c.salvage:
        raise c.fail(ELISION, at=at)
    c.elided = True


def at_end(c: Cursor) -> bool:
    """Whether the object's text is over here: the end, a fence, a tag."""
    return c.pos >= len(c.text) or c.text.startswith(NO_MORE[1:], c.pos)
