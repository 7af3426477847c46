"""The moves between two tokens: white space, comments, invisible characters, the end of the text, unknown text."""

from __future__ import annotations

import re

from src.shared.domain.notation import CLOSERS, INVISIBLE, NO_MORE
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.budget import STEP
from src.shared.infrastructure.parsing.reader.patterns import COMMENT, GAP, INVISIBLES, WHITESPACE
from src.shared.infrastructure.parsing.resolve.comments import no_comment
from src.shared.infrastructure.parsing.resolve.costs import DOUBT, EDIT, UNKNOWN
from src.shared.infrastructure.parsing.resolve.reasons import ELISION, PLACEHOLDER
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.states import Place, State

_FIRST = (Place.FIRST_KEY, Place.FIRST_ELEMENT)
COMMENT_COST = 8 * STEP
"""Units of work for a comment, which is checked for what else it may be."""
_SPECIAL = frozenset("/#<" + INVISIBLE)
_PART = re.compile(r"[^\s\"'`“”‘’{}\[\]｛｝［］,，:：][^\"'“”{}\[\]｛｝［］,，:：\n]*+|[\"'`“”‘’,，:：{}\[\]｛｝［］]")
_STRING = re.compile(r'"[^"\\\n]*+' + repeated(r'\\.[^"\\\n]*+') + '"')


def to_token(s: Search, state: State) -> tuple[State, str]:
    """Move to the next token; its first character, "" at the end of the text."""
    at = WHITESPACE.match(s.text, state.at).end()  # type: ignore[union-attr]  # it matches the empty text too
    char = s.text[at : at + 1]
    state = state if at == state.at else state.but(at=at)
    if char in _SPECIAL or char.isspace():
        state = _past_comments(s, state)
        char = s.text[state.at : state.at + 1]
    return state, char


def _past_comments(s: Search, state: State) -> State:
    end = GAP.match(s.text, state.at).end()  # type: ignore[union-attr]  # as above
    while state.at < end and not s.is_exhausted:
        at = state.at
        comment = COMMENT.match(s.text, at, end)
        if comment:
            s.spend(COMMENT_COST + len(comment.group()))
            reason = no_comment(state, comment.group(), s.text[end : end + 1])
            state = state.guess(at, reason) if reason else state
            state = state.edit(at, len(comment.group()), " ", K.COMMENT, DOUBT).but(at=comment.end())
        elif INVISIBLES.match(s.text, at) or s.text[at] not in " \t\n\r":
            state = state.edit(at, 1, " ", K.INVISIBLE_CHARACTER, cost=0).but(at=at + 1)
        else:
            state = state.but(at=at + 1)
    return state


def is_over(s: Search, at: int) -> bool:
    """Whether the object's text is over here: the end, a fence, a tag."""
    return at >= len(s.text) or s.text.startswith(NO_MORE[1:], at)


def not_understood(s: Search, state: State, places: tuple[Place, ...], reason: Reason) -> None:
    """Skip something that is not understood; after it, any of these may be expected."""
    string = _STRING.match(s.text, state.at)
    found = string or _PART.match(s.text, state.at)
    assert found is not None  # noqa: S101 - one of them matches whatever stands there
    unsure = state.guess(state.at, reason, cost=UNKNOWN + EDIT * bool(string))
    for place in places:
        if place is Place.AFTER and state.place is not Place.AFTER:
            complete(s, unsure.but(at=found.end()))
        else:
            s.push(unsure.go(found.end(), place))


def elided(s: Search, state: State, end: int, behind_comma: int) -> None:
    """Something was left out here, up to `end`: refused, unless what is left is to be kept."""
    alone = state.place in _FIRST and s.text[behind_comma:].lstrip()[:1] in CLOSERS
    unsure = state.guess(state.at, PLACEHOLDER if alone else ELISION, cost=EDIT)
    if s.asked.salvage:
        unsure = unsure.edit(state.at, end - state.at, "", K.ELLIPSIS, cost=0)
        kind = None if state.place in _FIRST else K.DOUBLED_COMMA
        unsure = unsure.edit(end, behind_comma - end, "", kind, cost=0) if end < behind_comma else unsure
    else:
        complete(s, unsure.but(at=end))
    s.push(unsure.go(behind_comma, state.place))


def complete(s: Search, state: State) -> None:
    """A value ends here."""
    s.push(state.but(place=Place.AFTER, members=state.members.with_value(state.at), text=None))
