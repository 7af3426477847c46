"""Skips undamaged text: a reading continues shortly before the next thing that is not strict JSON."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from src.shared.infrastructure.parsing.reader.budget import SKIM, STEP, VAIN_SKIM
from src.shared.infrastructure.parsing.reader.patterns import PLAIN_SCALAR_TEXT, SCALAR_TEXT
from src.shared.infrastructure.parsing.resolve.brackets import close_before, drop_bracket, drop_opener
from src.shared.infrastructure.parsing.resolve.costs import DOUBT, EDIT
from src.shared.infrastructure.parsing.resolve.keys import INDENT_LIMIT, holds_bracket
from src.shared.infrastructure.parsing.resolve.search import Search, key_of
from src.shared.infrastructure.parsing.resolve.states import Frame, Keys, Members, Place, State

OUTSIDE = Frame(-1, "", -1, None, 0)
"""Where the outermost container is closed."""
BACK = 3
"""How many members before the trouble alternatives are tried."""
_W = r"[ \t\n\r]*+"


def _member(scalar: str) -> re.Pattern[str]:
    return re.compile(
        rf'(?:{_W}"(?P<key>[^"\\\x00-\x1f]*+)"{_W}:{_W}(?:(?P<open>[{{\[])|{scalar}(?:{_W}(?P<comma>,)|(?={_W}\}})))|{_W}(?P<close>\}}))'
    )


def _element(scalar: str) -> re.Pattern[str]:
    run = rf"{_W}{scalar}{_W},"
    return re.compile(rf"(?:{_W}(?P<open>[{{\[])|(?P<comma>{run})|{_W}{scalar}(?={_W}\])|{_W}(?P<close>\]))")


_MEMBER, _ELEMENT = _member(SCALAR_TEXT), _element(SCALAR_TEXT)
_PLAIN_MEMBER, _PLAIN_ELEMENT = _member(PLAIN_SCALAR_TEXT), _element(PLAIN_SCALAR_TEXT)
_AFTER = re.compile(rf"{_W}(?:(?P<comma>,)|(?P<close>[}}\]]))")
_NEXT = {"{": Place.KEY, "[": Place.ELEMENT}
_FIRST = {"{": Place.FIRST_KEY, "[": Place.FIRST_ELEMENT}
_OWN_CLOSER = {"{": "}", "[": "]"}
STRUCTURAL = frozenset({Place.FIRST_KEY, Place.KEY, Place.FIRST_ELEMENT, Place.ELEMENT, Place.AFTER})


def skim(s: Search, state: State) -> State | None:
    """Let a reading go on at the first thing that is not strict JSON, and from a few members before it.

    Returns the state from which to go token by token, where that is the one given.
    """
    trail: deque[State] = deque([state])
    names: dict[int, set[str]] = {}
    first, cost = state, VAIN_SKIM if s.brackets_too else SKIM
    while (behind := _behind_next(s, state, names)) is not None:
        s.spend(cost)
        s.work.skimmed += 1
        if behind.frame is OUTSIDE or s.is_exhausted:
            return None
        state = behind
        trail.append(state)
        if len(trail) > BACK:
            passed = trail.popleft()
            if passed is not first and not s.arrive(passed, key_of(passed), passed.steps):
                return None
    s.spend((state.at - first.at) // 4 + STEP)
    back = trail[0].but(armed=state.at)
    if trail[0] is first:
        return back
    s.push(back)
    return None


def _behind_next(s: Search, state: State, names: dict[int, set[str]]) -> State | None:
    """After the next member, element, comma or bracket; None if it is not strict JSON."""
    if state.place is Place.AFTER:
        return _behind_value(s, state)
    if state.frame.kind == "{":
        return _behind_member(s, state, names)
    return _behind_elements(s, state) if state.frame.kind == "[" else None


def _behind_value(s: Search, state: State) -> State | None:
    found = _AFTER.match(s.text, state.at)
    if found is None or state.frame.kind not in _NEXT:
        return None
    if found["comma"]:
        return _comma(s, state, found.end())
    return _left(s, state, found.end()) if found["close"] == _OWN_CLOSER[state.frame.kind] else None


def _comma(s: Search, state: State, end: int) -> State:
    """After a comma; the bracket before it may have been forgotten."""
    if s.brackets_too:
        close_before(s, state.but(at=end - 1, place=Place.AFTER), end - 1)
    return state.but(at=end, place=_NEXT[state.frame.kind], comma=end - 1)


def _behind_member(s: Search, state: State, names: dict[int, set[str]]) -> State | None:
    found = (_PLAIN_MEMBER if s.asked.latex else _MEMBER).match(s.text, state.at)
    if found is None:
        return None
    end = found.end()
    if found["close"]:
        return _left(s, state, end) if state.place is Place.FIRST_KEY else None
    key, frame = found["key"], state.frame
    if state.cost and holds_bracket(key):
        return None  # it may have swallowed a bracket: it is looked at
    known = names.get(frame.number)
    if known is None:
        known = names[frame.number] = set(_names(state.members.keys))
        if key in known and state.cost:
            return None  # after a repair a key that occurs twice is looked at
    start = found.start("key") - 1
    keys, outer, size, ends, indent = state.members
    line = s.text.rfind("\n", max(0, start - INDENT_LIMIT), start) + 1
    cost = state.cost + (EDIT + DOUBT) * (key in known)
    if line and not s.text[line:start].strip(" \t"):
        cost += DOUBT * (0 <= indent != start - line)
        indent = start - line if indent < 0 else indent
    known.add(key)
    members = Members(Keys(key, keys, bare=False), outer, size, ends, indent)
    if found["open"]:
        return _opened(s, state.but(members=members, cost=cost), end, found["open"])
    members = members.with_value(end - bool(found["comma"]))
    behind = state.but(at=end, place=Place.AFTER, members=members, cost=cost)
    return _comma(s, behind, end) if found["comma"] else behind


def _behind_elements(s: Search, state: State) -> State | None:
    found = (_PLAIN_ELEMENT if s.asked.latex else _ELEMENT).match(s.text, state.at)
    if found is None:
        return None
    if found["open"]:
        if s.brackets_too and state.place is Place.FIRST_ELEMENT:
            drop_opener(s, state)
        return _opened(s, state, found.end(), found["open"])
    if found["close"]:
        return _left(s, state, found.end()) if state.place is Place.FIRST_ELEMENT else None
    members = state.members.with_value(found.end() - bool(found["comma"]))
    behind = state.but(at=found.end(), place=Place.AFTER, members=members)
    return _comma(s, behind, found.end()) if found["comma"] else behind


def _opened(s: Search, state: State, end: int, char: str) -> State | None:
    frame = s.frame(char, end - 1, state.frame)
    if frame is None:
        return None
    return state.but(at=end, place=_FIRST[char], frame=frame, members=Members(outer=state.members))


def _left(s: Search, state: State, end: int) -> State | None:
    parent, outer = state.frame.parent, state.members.outer
    if s.brackets_too:
        drop_bracket(s, state.but(at=end - 1, place=Place.AFTER), s.text[end - 1])
    if parent is None or outer is None:
        if s.rest.cost(end):
            return None
        s.finish(state, end)
        return state.but(frame=OUTSIDE)
    members = outer.with_value(end)
    return state.but(at=end, place=Place.AFTER, frame=parent, members=members)


def _names(keys: Keys | None) -> Iterator[str]:
    while keys is not None:
        yield keys.text
        keys = keys.before
