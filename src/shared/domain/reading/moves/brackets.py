"""The moves at brackets: opened, closed, forgotten, surplus, of the wrong kind, left open."""

from __future__ import annotations

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import TRUNCATED, TWO_READINGS
from src.shared.domain.reading.costs import DOUBT, EDIT, OTHER_SIGN
from src.shared.domain.reading.lexicon import CLOSERS, COMMAS, MARGIN, OPENERS, QUOTES
from src.shared.domain.reading.moves.ends import ends_in_forgotten_quote
from src.shared.domain.reading.moves.gaps import FIRST, complete, is_over
from src.shared.domain.reading.openings import KEY_AT, LINE_LIMIT
from src.shared.domain.reading.reading import NO_VALUE
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import (
    FIRST_PLACE,
    NEXT_PLACE,
    Frame,
    Members,
    Place,
    State,
    Step,
    last_step,
    linked,
)
from src.shared.domain.reading.tokens import MEMBER_IN_QUOTES, VALUE_AT
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.shown_end import shows_end

TUPLE = "("
_OPENER_OF = {"}": "{", "]": "["}
CLOSER_OF = {"{": "}", "[": "]", TUPLE: "]"}
_COMMA_NEXT = expression(rf"\s*+(?:[{COMMAS}}}\]｝］]|\Z)")
_MEMBER_DUE = expression(rf"\s*+(?:[{COMMAS}]|{KEY_AT.pattern})")
_ELEMENT_DUE = expression(rf"\s*+(?:[{COMMAS}]|{VALUE_AT.pattern})")
_SWALLOWED = expression(r"[}\]｝］]\s*+[\"'”]\Z")
_ROW_NEXT = expression(rf"\s*+[{COMMAS}]?\s*+\[")
"""A list after a list: the bracket of a list around both may be missing."""
_SCALAR_NEXT = expression(rf"\s*+[{COMMAS}]\s*+[^\s{{\[｛［]")
_CLOSED_BEFORE_MEMBER = expression(rf"\s*+[\]］]\s*+[{COMMAS}]\s*+{MEMBER_IN_QUOTES.pattern}")
_RUN = expression(r"[}\]]{2}[}\]]{2}|(?<=[}\]])[}\]]{3}")
"""Closing brackets, of which the third is the one that does not fit."""
_TWO_CLOSERS = expression(r"[}\]]\s*+(?P<second>[}\]])")
_ANOTHER_NEXT = expression(rf"\s*+[{COMMAS}]")
_NO_SCALAR = frozenset((*QUOTES, *CLOSERS))
_ANOTHER = 2
"""Each further bracket that is missing at the end of the text."""
_BEHIND_COMMA = (Place.KEY, Place.ELEMENT)


def open_container(s: Search, state: State, char: str) -> None:
    """`{`, `[`, their full-width forms, and the parenthesis of a tuple."""
    kind = OPENERS.get(char, TUPLE)
    opened = state
    if kind == TUPLE:
        opened = state.edit(state.at, 1, "[", K.PYTHON_LITERAL)
    elif char != kind:
        opened = state.edit(state.at, 1, kind, K.FULL_WIDTH_PUNCTUATION, OTHER_SIGN)
    _enter(s, opened.but(at=state.at + 1), kind, state.at)


def open_forgotten(s: Search, state: State, kind: str) -> None:
    """The opening bracket was forgotten: `"a": "b": 1}`. Hardly two of them, one inside the other."""
    if s.text[state.frame.opened] not in {*OPENERS, TUPLE}:
        state = state.guess(state.at, TWO_READINGS, state.frame.opened)
    _enter(s, state.edit(state.at, 0, kind, K.MISSING_BRACKET), kind, state.at)


def _enter(s: Search, state: State, kind: str, opened: int) -> None:
    frame = s.frame(kind, opened, state.frame)
    if frame is not None:
        s.push(state.but(place=FIRST_PLACE[kind], frame=frame, members=Members(outer=state.members)))


def open_other_kind(s: Search, state: State, kind: str, cost: int = EDIT) -> None:
    """The text after the opening bracket is for a container of the other kind: that one was meant."""
    opened = state.frame.opened
    is_other = s.text[opened] == ("[" if kind == "{" else "{")
    frame = s.frame(kind, opened, state.frame.parent) if is_other else None
    if frame is not None:
        wrong = state.edit(opened, 1, kind, K.SURPLUS_BRACKET, cost)
        s.push(wrong.but(place=FIRST_PLACE[kind], frame=frame))


def drop_opener(s: Search, state: State) -> None:
    """The bracket that was read last opens nothing."""
    parent, outer = state.frame.parent, state.members.outer
    if parent is not None and outer is not None and s.text[state.frame.opened] in OPENERS:
        dropped = state.edit(state.frame.opened, 1, "", K.SURPLUS_BRACKET)
        place = Place.VALUE if parent.kind == "{" else Place.ELEMENT
        s.push(dropped.but(place=place, frame=parent, members=outer))


def closer(s: Search, state: State, char: str) -> bool:
    """The end of an object or a list; after a comma a bracket that closes nothing; after a colon no value."""
    if state.place in FIRST:
        close(s, state, char)
    elif state.place is Place.VALUE:
        complete(s, state.guess(state.at, NO_VALUE, cost=EDIT))
    else:
        drop_trailing_comma(s, state, char)
        _drop_closer(s, state)
    return True


def end(s: Search, state: State, _: str) -> bool:
    """The text ends where something is expected."""
    if not is_over(s, state.at):
        return False
    if state.place in _BEHIND_COMMA:
        drop_trailing_comma(s, state, "")
    elif state.place is not Place.FIRST_KEY:
        close_all(s, state.guess(state.at, TRUNCATED))
    return True


def _drop_closer(s: Search, state: State) -> None:
    """A closing bracket after a comma closes nothing, where more follows."""
    due = _MEMBER_DUE if state.frame.kind == "{" else _ELEMENT_DUE
    if due.match(s.text, state.at + 1):
        s.push(state.drop(K.SURPLUS_BRACKET))


def close(s: Search, state: State, char: str) -> None:
    """A closing bracket where one may stand: its own, or one of the wrong kind, or of an outer one, or surplus."""
    if char == ")" or state.frame.kind == TUPLE:
        _close_tuple(s, state, char)
        return
    at, kind, own = state.at, CLOSERS[char], CLOSER_OF[state.frame.kind]
    if own == kind:
        plain = state if char == kind else state.edit(at, 1, kind, K.FULL_WIDTH_PUNCTUATION, OTHER_SIGN)
        leave(s, plain, at + 1)
    else:
        wrong = state.edit(at, 1, own, K.SURPLUS_BRACKET)
        leave(s, wrong.guess(at, TWO_READINGS) if state.place in FIRST else wrong, at + 1)
        _close_outer(s, state, kind)
        _close_swapped(s, state, kind)
    if state.place is Place.AFTER:
        drop_bracket(s, state, kind)


def drop_bracket(s: Search, state: State, kind: str) -> None:
    """A closing bracket after a value is dropped; unsure where it may as well be another that is missing."""
    at, end = state.at, state.members.ends[0]
    last = s.text[end - 1 : end]
    is_another = state.frame.parent is None and not _COMMA_NEXT.match(s.text, at + 1)
    may_close = kind == "]" and state.frame.kind == "{" and last not in CLOSERS
    ends_row = kind == "]" and state.frame.kind == "[" and last != "]" and _ROW_NEXT.match(s.text, at + 1)
    unsure = is_another or may_close or ends_row or _left_open(s.text, end, kind)
    dropped = state.drop(K.SURPLUS_BRACKET)
    s.push(dropped.guess(at, TWO_READINGS, state.frame.opened) if unsure else dropped)


def _left_open(text: str, end: int, kind: str) -> bool:
    """Whether the string that ends there leaves a bracket open, which this one may have been meant to close."""
    if text[end - 1 : end] != '"':
        return False
    body = text[max(text.rfind('"', max(0, end - LINE_LIMIT), end - 1), 0) : end]
    return body.count(_OPENER_OF[kind]) > body.count(kind)


def _close_tuple(s: Search, state: State, char: str) -> None:
    """`)` closes a tuple of two values, or of one with a comma after it."""
    step = last_step(state)
    last = step.edit if step else None
    least = 1 if last and last.kind is K.TRAILING_COMMA else 0 if state.place is Place.FIRST_ELEMENT else 2
    if char == ")" and state.frame.kind == TUPLE:
        known = state if state.members.size >= least else state.guess(state.at, TWO_READINGS)
        leave(s, known.edit(state.at, 1, "]", None, cost=0), state.at + 1)


def _close_outer(s: Search, state: State, kind: str) -> None:
    """The bracket of an outer container: the inner one's was forgotten, most likely in a run of them."""
    outer = state.frame.parent
    while outer is not None and CLOSER_OF[outer.kind] != kind:
        outer = outer.parent
    if outer is not None:
        in_a_run = _RUN.match(s.text, state.at - 2) is not None
        leave(s, _closed(s, state, state.at, EDIT - 2 * in_a_run), state.at)


def _close_swapped(s: Search, state: State, kind: str) -> None:
    """`}]` for `]}`: the brackets of two containers in the wrong order. What follows may belong further out."""
    parent, outer, found = state.frame.parent, state.members.outer, _TWO_CLOSERS.match(s.text, state.at)
    if parent is None or outer is None or found is None or state.place in FIRST or CLOSER_OF[parent.kind] != kind:
        return
    own, second = CLOSER_OF[state.frame.kind], found.end() - 1
    if found["second"] == own:
        swapped = state.edit(state.at, 1, own, K.SURPLUS_BRACKET).edit(second, 1, kind, None, cost=0)
        around = parent.parent
        if around and around.parent and _ANOTHER_NEXT.match(s.text, second + 1):
            swapped = swapped.guess(state.at, TWO_READINGS, second)
        inner = swapped.but(place=Place.AFTER, frame=parent, members=outer.with_value(state.at + 1), text=None)
        leave(s, inner, second + 1)


def close_before(s: Search, state: State, at: int) -> None:
    """The closing bracket was forgotten at `at`; what stands at the state's place is for the outer container."""
    if state.frame.parent is not None:
        leave(s, _closed_before(s, state, at, state.frame.parent), state.at)


def _closed_before(s: Search, state: State, at: int, parent: Frame) -> State:
    """The reading with its closing bracket at `at`; around it one that was not opened either has no sure end."""
    closed = _closed(s, state, at)
    of_rows = state.frame.kind == "{" and state.members.size and parent.kind == "["  # a scalar is hardly one
    unsure = not parent.is_written or (of_rows and _SCALAR_NEXT.match(s.text, at) is not None)
    return closed.guess(at, TWO_READINGS, parent.opened) if unsure else closed


def _closed(s: Search, state: State, at: int, cost: int = EDIT) -> State:
    """The same; a list that has neither bracket is one of numbers: a string may be a key without its value."""
    closed = state.edit(at, 0, CLOSER_OF[state.frame.kind], K.MISSING_BRACKET, cost)
    end, before = state.members.ends
    no_scalar = s.text[end - 1 : end] in _NO_SCALAR or ends_in_forgotten_quote(state)
    unsure = not state.frame.is_written and no_scalar
    unsure = unsure or (before > 0 and _CLOSED_BEFORE_MEMBER.match(s.text, before) is not None)
    return closed.guess(state.frame.opened, TWO_READINGS, end) if unsure else closed


def close_before_comma(s: Search, state: State) -> None:
    """What follows a comma need not belong to the container, which may have been meant to close before the comma."""
    parent, outer = state.frame.parent, state.members.outer
    if parent is None or outer is None or not state.members.size:
        return
    closed = _closed_before(s, state, state.comma, parent)
    s.push(closed.but(place=NEXT_PLACE[parent.kind], frame=parent, members=outer.with_value(state.comma)))


def drop_trailing_comma(s: Search, state: State, char: str) -> None:
    """A comma before a closing bracket, or before the end of the text where `char` is empty."""
    at, last = state.comma, last_step(state)
    if last is not None and last.edit is not None and last.edit[:3] == (at, 1, ","):  # it was made plain before
        state = state.but(steps=last.before, cost=state.cost - (OTHER_SIGN if s.text[at] in COMMAS else EDIT))
    dropped = state.edit(at, 1, "", K.TRAILING_COMMA).but(place=Place.AFTER)
    if char:
        close(s, dropped, char)
    elif s.options.finished:
        close_all(s, dropped)
    else:
        s.fail(state.at, TRUNCATED)


def leave(s: Search, state: State, end: int) -> None:
    """The innermost container is closed, its last bracket before `end`."""
    parent, outer = state.frame.parent, state.members.outer
    if parent is None or outer is None:
        s.finish(state, end, s.rest.cost(end))
        return
    members = outer.with_value(end)
    s.push(state.but(at=end, place=Place.AFTER, frame=parent, members=members, text=None))


def before_blanks(text: str, at: int) -> int:
    """The place before the white space that ends at `at`."""
    while at and text[at - 1].isspace():
        at -= 1
    return at


def close_all(s: Search, state: State) -> None:
    """The text ends: close what is open. A mark that does not show the end may as well be text inside the object."""
    if not shows_end(s.text, s.start, state.at, finished=bool(s.options.finished)):
        state = state.guess(state.at, TWO_READINGS, before_blanks(s.text, state.at))
    close_at_end(s, state)


def close_at_end(s: Search, state: State) -> None:
    """Close what is open."""
    closers = _closers(state.frame)
    end = before_blanks(s.text, state.at)
    if _SWALLOWED.search(s.text, max(0, end - MARGIN), end):
        state = state.guess(end, TWO_READINGS, end - 1)
    if any(step.text is not None and step.closing == 0 for step in linked(state.steps)):
        state = state.guess(
            end, TRUNCATED
        )  # one end forgotten is a slip; a string's and the object's, a text in pieces
    at_once = s.text[end - 1] not in CLOSERS  # who stops before the first of them forgets them all
    cost = EDIT - 2 + _ANOTHER * (len(closers) - 1) if at_once else EDIT * len(closers)
    if not at_once and closers.startswith("]}"):  # nearer than that the list was not opened
        cost -= DOUBT
    s.finish(state.edit(end, 0, closers, K.MISSING_BRACKET, cost), state.at)


def salvaged(text: str, state: State) -> Step | None:
    """The steps that keep the complete members of every container that was open; None if there is none."""
    frame, (_, outer, _, (end, before), _) = state.frame, state.members
    if end >= 0 and _may_be_half(text, state, end):
        end = before
    while end < 0:
        if frame.parent is None or outer is None:
            return None
        frame, (_, outer, _, (end, _), _) = frame.parent, outer
    put = Edit(end, len(text) - end, _closers(frame), RepairKind.TRUNCATED_MEMBER)
    return Step(_before(state.steps, end), put)


def _closers(frame: Frame | None) -> str:
    """The closing brackets of a container and of those around it."""
    closers = ""
    while frame is not None:
        closers += CLOSER_OF[frame.kind]
        frame = frame.parent
    return closers


def _before(steps: Step | None, end: int) -> Step | None:
    """The steps up to an offset."""
    steps = next((step for step in linked(steps) if _is_before(step, end)), None)
    if steps is not None and steps.run is not None:
        return Step(steps.before, run=steps.run._replace(end=min(steps.run.end, end)))
    return steps


def _is_before(step: Step, end: int) -> bool:
    if step.text is not None:
        return step.text.start < end
    if step.edit is not None:
        return step.edit.offset < end
    if step.run is not None:
        return step.run.begun.at < end
    return step.failure is not None and step.failure.offset < end


def _may_be_half(text: str, state: State, end: int) -> bool:
    """Whether the last complete member may be half of one.

    A scalar that touches the end may, also one in quotes: the quote may be text. So may a string with quotes inside,
    of which only a key after it would show that it is over.
    """
    if end == len(text.rstrip()):
        return text[end - 1] not in CLOSERS
    step = last_step(state)
    is_quoting = step is not None and step.text is not None and step.text.inner is not None and step.end < end
    return is_quoting and KEY_AT.search(text, end) is None
