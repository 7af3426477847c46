"""Brackets: opened, closed, forgotten, surplus, of the wrong kind."""

from __future__ import annotations

import re

from attack.nearest.costs import DOUBT, EDIT, OTHER_SIGN, PART_OF_MORE
from attack.nearest.search import Search
from attack.nearest.states import Members, Place, State
from src.shared.domain.notation import CLOSERS, COMMAS, OPENERS
from src.shared.domain.parse_reasons import TRUNCATED
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.reader.patterns import ELEMENT_AFTER_ROOT, MEMBER_AFTER_ROOT
from src.shared.infrastructure.reader.strings import TWO_READINGS

TUPLE = "("
_CLOSER_OF = {"{": "}", "[": "]", TUPLE: "]"}
_CLOSER = re.compile(r"\s*+[}\]｝］]")
_RUN = re.compile(r"[}\]]{2}[}\]]{2}|(?<=[}\]])[}\]]{3}")
"""Closing brackets, of which the third is the one that does not fit."""
_FIRST = (Place.FIRST_KEY, Place.FIRST_ELEMENT)


def open_container(s: Search, state: State, char: str) -> None:
    """`{`, `[`, their full-width forms, and the parenthesis of a tuple."""
    kind = OPENERS.get(char, TUPLE)
    opened = state
    if kind == TUPLE:
        opened = state.edit(state.at, 1, "[", K.PYTHON_LITERAL)
    elif char != kind:
        opened = state.edit(state.at, 1, kind, K.FULL_WIDTH_PUNCTUATION, OTHER_SIGN)
    _enter(s, opened._replace(at=state.at + 1), kind, state.at)


def open_forgotten(s: Search, state: State, kind: str) -> None:
    """The opening bracket was forgotten: `"a": "b": 1}`."""
    _enter(s, state.edit(state.at, 0, kind, K.MISSING_BRACKET), kind, state.at)


def _enter(s: Search, state: State, kind: str, opened: int) -> None:
    frame = s.frame(kind, opened, state.frame)
    if frame is not None:
        place = Place.FIRST_KEY if kind == "{" else Place.FIRST_ELEMENT
        s.push(state._replace(place=place, frame=frame, members=Members(outer=state.members)))


def open_other_kind(s: Search, state: State) -> None:
    """The members of an object behind the opening bracket of a list: a brace was meant."""
    opened = state.frame.opened
    frame = s.frame("{", opened, state.frame.parent)
    if frame is not None and s.text[opened] == "[":
        s.push(state.edit(opened, 1, "{", K.SURPLUS_BRACKET)._replace(place=Place.FIRST_KEY, frame=frame))


def drop_opener(s: Search, state: State) -> None:
    """The bracket that was read last opens nothing."""
    parent, outer = state.frame.parent, state.members.outer
    if parent is not None and outer is not None and s.text[state.frame.opened] in OPENERS:
        dropped = state.edit(state.frame.opened, 1, "", K.SURPLUS_BRACKET)
        place = Place.VALUE if parent.kind == "{" else Place.ELEMENT
        s.push(dropped._replace(place=place, frame=parent, members=outer))


def close(s: Search, state: State, char: str) -> None:
    """A closing bracket where one may stand: its own, or one of the wrong kind, or of an outer one, or surplus."""
    if char == ")" or state.frame.kind == TUPLE:
        _close_tuple(s, state, char)
        return
    at, kind, own = state.at, CLOSERS[char], _CLOSER_OF[state.frame.kind]
    if own == kind:
        plain = state if char == kind else state.edit(at, 1, kind, K.FULL_WIDTH_PUNCTUATION, OTHER_SIGN)
        leave(s, plain, at + 1)
    else:
        wrong = state.edit(at, 1, own, K.SURPLUS_BRACKET)
        leave(s, wrong.guess(at, TWO_READINGS) if state.place in _FIRST else wrong, at + 1)
        _close_outer(s, state, kind)
    if state.place is Place.AFTER:
        s.push(state.drop(K.SURPLUS_BRACKET))


def _close_tuple(s: Search, state: State, char: str) -> None:
    """`)` closes a tuple of two values, or of one with a comma behind it."""
    last = state.steps.edit if state.steps else None
    least = 1 if last and last.kind is K.TRAILING_COMMA else 2
    if char == ")" and state.frame.kind == TUPLE and state.members.size >= least:
        leave(s, state.edit(state.at, 1, "]", None, cost=0), state.at + 1)


def _close_outer(s: Search, state: State, kind: str) -> None:
    """The bracket of an outer container: the inner one's was forgotten, most likely in a run of them."""
    outer = state.frame.parent
    while outer is not None and _CLOSER_OF[outer.kind] != kind:
        outer = outer.parent
    if outer is not None:
        in_a_run = _RUN.match(s.text, state.at - 2) is not None
        own = _CLOSER_OF[state.frame.kind]
        leave(s, state.edit(state.at, 0, own, K.MISSING_BRACKET, EDIT - 2 * in_a_run), state.at)


def close_before(s: Search, state: State, at: int) -> None:
    """The closing bracket was forgotten at `at`; what stands at the state's place is for the outer container."""
    if state.frame.parent is not None:
        leave(s, state.edit(at, 0, _CLOSER_OF[state.frame.kind], K.MISSING_BRACKET), state.at)


def close_before_comma(s: Search, state: State) -> None:
    """Behind a comma stands what the container need not hold: it may have been meant to close before the comma."""
    parent, outer = state.frame.parent, state.members.outer
    if parent is None or outer is None or not state.members.size:
        return
    comma = s.text.rfind(",", 0, state.at)
    closed = state.edit(comma, 0, _CLOSER_OF[state.frame.kind], K.MISSING_BRACKET)
    place = Place.KEY if parent.kind == "{" else Place.ELEMENT
    s.push(closed._replace(place=place, frame=parent, members=outer._replace(size=outer.size + 1)))


def drop_trailing_comma(s: Search, state: State, char: str) -> None:
    """A comma before a closing bracket, or before the end of the text where `char` is empty."""
    at = max(s.text.rfind(comma, 0, state.at) for comma in COMMAS)
    last = state.steps
    if last is not None and last.edit is not None and last.edit.offset == at:  # a full-width one was made plain before
        state = state._replace(steps=last.before, cost=state.cost - OTHER_SIGN)
    dropped = state.edit(at, 1, "", K.TRAILING_COMMA)._replace(place=Place.AFTER)
    if char:
        close(s, dropped, char)
    elif s.finished:
        close_all(s, dropped)
    else:
        s.fail(state.at, TRUNCATED)


def leave(s: Search, state: State, end: int) -> None:
    """The innermost container is closed, its last bracket before `end`."""
    parent, outer = state.frame.parent, state.members.outer
    if parent is None or outer is None:
        s.finish(state, end, _cost_of_rest(s.text, end))
        return
    members = outer._replace(size=outer.size + 1)
    s.push(state._replace(at=end, place=Place.AFTER, frame=parent, members=members, text=None))


def _cost_of_rest(text: str, end: int) -> int:
    """What stands behind the outermost container speaks against its end, if it would go on there."""
    cost = DOUBT * text.startswith('"', end)
    if MEMBER_AFTER_ROOT.match(text, end) or ELEMENT_AFTER_ROOT.match(text, end):
        cost = PART_OF_MORE
    while closer := _CLOSER.match(text, end):
        cost, end = cost + EDIT, closer.end()
    return cost


def close_all(s: Search, state: State) -> None:
    """The text is over: close what is open."""
    frame, closers = state.frame, _CLOSER_OF[state.frame.kind]
    while frame.parent is not None:
        frame = frame.parent
        closers += _CLOSER_OF[frame.kind]
    end = len(s.text[: state.at].rstrip())
    s.finish(state.edit(end, 0, closers, K.MISSING_BRACKET, EDIT * len(closers)), state.at)
