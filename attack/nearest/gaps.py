"""Between two tokens: white space, comments, invisible characters; the end of the text; what is not understood."""

from __future__ import annotations

import re

from attack.nearest.costs import EDIT, UNKNOWN
from attack.nearest.search import Search
from attack.nearest.states import Place, State
from src.shared.domain.notation import CLOSERS, COMMAS, INVISIBLE, NO_MORE
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.possessive import repeated
from src.shared.infrastructure.reader.gaps import (
    COMMENT_OR_ELEMENT,
    COMMENT_OR_STRUCTURE,
    ELIDING_COMMENT,
    ELISION,
    WORD_COMMENT,
    may_end_sooner,
)
from src.shared.infrastructure.reader.patterns import COMMENT, GAP, INVISIBLES, WHITESPACE

_SPECIAL = frozenset("/#" + INVISIBLE)
_PART = re.compile(r"[^\s\"'`“”‘’{}\[\]｛｝［］,，:：][^\"'“”{}\[\]｛｝［］,，:：\n]*+|[\"'`“”‘’:：{}\[\]｛｝［］]")
_STRING = re.compile(r'"[^"\\\n]*+' + repeated(r'\\.[^"\\\n]*+') + '"')


def to_token(s: Search, state: State) -> tuple[State, str]:
    """Move to the next token; its first character, "" at the end of the text."""
    at = WHITESPACE.match(s.text, state.at).end()  # type: ignore[union-attr]  # it matches the empty text too
    char = s.text[at : at + 1]
    state = state if at == state.at else state._replace(at=at)
    if char in _SPECIAL or char.isspace():
        state = _past_comments(s, state)
        char = s.text[state.at : state.at + 1]
    return state, char


def _past_comments(s: Search, state: State) -> State:
    end = GAP.match(s.text, state.at).end()  # type: ignore[union-attr]  # as above
    while state.at < end:
        at = state.at
        comment = COMMENT.match(s.text, at, end)
        if comment:
            reason = _no_comment(s, state, comment.group(), end)
            state = state.guess(at, reason) if reason else state
            state = state.edit(at, len(comment.group()), " ", K.COMMENT)._replace(at=comment.end())
        elif INVISIBLES.match(s.text, at) or s.text[at] not in " \t\n\r":
            state = state.edit(at, 1, " ", K.INVISIBLE_CHARACTER, cost=0)._replace(at=at + 1)
        else:
            state = state._replace(at=at + 1)
    return state


def _no_comment(s: Search, state: State, comment: str, end: int) -> Reason | None:
    """Why what looks like a comment may be something else."""
    if ELIDING_COMMENT.match(comment):
        return ELISION
    closes = state.place is Place.FIRST_ELEMENT and s.text[end : end + 1] in CLOSERS
    if state.frame.kind == "[" and WORD_COMMENT.match(comment) and (comment.endswith(tuple(COMMAS)) or closes):
        return COMMENT_OR_ELEMENT
    return COMMENT_OR_STRUCTURE if may_end_sooner(comment) else None


def is_over(s: Search, at: int) -> bool:
    """Whether the object's text is over here: the end, a fence, a tag."""
    return at >= len(s.text) or s.text.startswith(NO_MORE[1:], at)


def not_understood(s: Search, state: State, places: tuple[Place, ...], reason: Reason) -> None:
    """Step over something that is not understood; what is due behind it may be any of these."""
    string = _STRING.match(s.text, state.at)
    found = string or _PART.match(s.text, state.at)
    if found is None:
        s.fail(state.at, reason)
        return
    unsure = state.guess(state.at, reason, cost=UNKNOWN + EDIT * bool(string))
    for place in places:
        if place is Place.AFTER and state.place is not Place.AFTER:
            complete(s, unsure._replace(at=found.end()))
        else:
            s.push(unsure.go(found.end(), place))


def complete(s: Search, state: State) -> None:
    """A value ends here."""
    members = state.members._replace(size=state.members.size + 1)
    s.push(state._replace(place=Place.AFTER, members=members, text=None))
