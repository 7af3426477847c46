"""Comments, and what else they may be: a bracket, an element, or something left out."""

from __future__ import annotations

import re

from src.shared.domain.notation import CLOSERS, COMMAS
from src.shared.domain.parse_reasons import COMMENT_OR_ELEMENT, COMMENT_OR_STRUCTURE, Reason
from src.shared.infrastructure.parsing.resolve.reasons import ELISION
from src.shared.infrastructure.parsing.resolve.states import Place, State

ELISION_LIMIT = 200
"""Characters of a comment in which it has to say that something was left out."""
_THINGS = r"(?:rows?|items?|entry|entries|elements?|objects?|fields?|members?|records?|lines?|values?|results?)"
_ELIDING = re.compile(
    rf"""
    [/*\#\s<!\-]*+ (?:
        \.\.\. | …
      | (?:and\s++|the\s++)? (?:\d{{1,9}}\s++|some\s++|many\s++|several\s++)?
        (?:more|others?|remaining|additional|further|rest|omitted) \b \s*+ (?: {_THINGS}\b | [\s.*/>\-]*+\Z )
      | (?:etc|and\s++so\s++on) \b
    )
    | .{{0,{ELISION_LIMIT}}} (?: \b(?:omitted|for\s++brevity)\b | 省略 | 以此类推 | 等等 | 其余 )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""A comment that stands for what was left out."""
_WORD = re.compile(r"(?://|\#)[^\s/#]")


def no_comment(state: State, comment: str, after: str) -> Reason | None:
    """Why an apparent comment may be something else; `after` is the place after it and the comments next to it."""
    if is_elision(comment):
        return ELISION
    closes = state.place is Place.FIRST_ELEMENT and after in CLOSERS
    if state.frame.kind == "[" and _WORD.match(comment) and (comment.endswith(tuple(COMMAS)) or closes):
        return COMMENT_OR_ELEMENT
    return COMMENT_OR_STRUCTURE if _may_end_sooner(comment) else None


def is_elision(comment: str) -> bool:
    """Whether a comment stands for what was left out."""
    return _ELIDING.match(comment) is not None


def _may_end_sooner(comment: str) -> bool:
    """Whether a comment to the end of the line has a bracket in it that closes nothing in it."""
    return not comment.startswith(("/*", "<!--")) and any(
        comment.count(closer) > comment.count(opener) for opener, closer in ("{}", "[]")
    )
