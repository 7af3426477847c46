"""Skips undamaged text: a reading continues shortly before the next thing that is not strict JSON."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from src.shared.domain.notation import CLOSERS, OPENERS
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.budget import SKIM, STEP, VAIN_SKIM
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.reader.patterns import PLAIN_SCALAR_TEXT, SCALAR_TEXT
from src.shared.infrastructure.parsing.resolve.brackets import close_before, drop_bracket, drop_opener
from src.shared.infrastructure.parsing.resolve.costs import DOUBT, EDIT
from src.shared.infrastructure.parsing.resolve.dialect import Spoken, dialect_of, plain, spoken
from src.shared.infrastructure.parsing.resolve.keys import INDENT_LIMIT, holds_bracket
from src.shared.infrastructure.parsing.resolve.search import Search, key_of
from src.shared.infrastructure.parsing.resolve.states import Frame, Keys, Members, Place, State, Step

OUTSIDE = Frame(-1, "", -1, None, 0)
"""Where the outermost container is closed."""
BACK = 3
"""How many members before the trouble alternatives are tried."""
FIRST_NOTED, ONE_NOTED_OF = 8, 4
"""Where readings that pass over the same text meet: at each of the first places, then at some, told by their offset."""
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
_NO_HABITS: frozenset[RepairKind | str] = frozenset()
_BEGINNINGS = frozenset(_FIRST.values())
_BRACKET = re.compile(r"[{}\[\]｛｝［］]")
_OWN_CLOSER = {"{": "}", "[": "]"}
STRUCTURAL = frozenset({Place.FIRST_KEY, Place.KEY, Place.FIRST_ELEMENT, Place.ELEMENT, Place.AFTER})


def skim(s: Search, state: State) -> State | None:
    """Let a reading go on at the first thing that is not strict JSON, and from a few members before it.

    Returns the state from which to go token by token, where that is the one given.
    """
    trail: deque[State] = deque([state])
    names: dict[int, set[str]] = {}
    first, cost, count = state, VAIN_SKIM if s.brackets_too else SKIM, 0
    while (behind := _behind_next(s, state, names)) is not None:
        s.spend(cost)
        s.work.skimmed += 1
        if behind.frame is OUTSIDE or s.is_exhausted:
            return None
        state = behind
        trail.append(state)
        if len(trail) > BACK:
            passed, count = trail.popleft(), count + 1
            is_noted = passed is not first and (count < FIRST_NOTED or passed.at % ONE_NOTED_OF == 0)
            if is_noted and not s.arrive(passed, key_of(passed), passed.steps):
                return None
    s.spend((state.at - first.at) // 4 + STEP)
    back = trail[0].but(armed=state.at)
    if trail[0] is first:
        return back
    s.settle(back)
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
    kind = state.frame.kind
    found = (_AFTER if s.brackets_too else dialect_of(state.habits).after).match(s.text, state.at)
    if found is None or kind not in _NEXT:
        return None
    if found["comma"]:
        steps = plain(state.steps, found.start("comma"), found["comma"])
        return _behind_comma(s, state, found.end(), state.members, state.cost, steps)
    return _closed(s, state, state.steps, found) if CLOSERS[found["close"]] == _OWN_CLOSER[kind] else None


def _behind_comma(s: Search, state: State, end: int, members: Members, cost: int, steps: Step | None) -> State:
    """After a comma; the bracket before it may have been forgotten."""
    if s.brackets_too:
        close_before(s, state.passed(end - 1, Place.AFTER, members, cost, steps, state.comma), end - 1)
    return state.passed(end, _NEXT[state.frame.kind], members, cost, steps, end - 1)


def _at_end(s: Search, state: State) -> State | None:
    """At the end of a container: right behind its beginning, or behind a comma that a dialect writes there."""
    dialect = dialect_of(_NO_HABITS if s.brackets_too else state.habits)
    found = (dialect.object_end if state.frame.kind == "{" else dialect.list_end).match(s.text, state.at)
    if found is None or state.place in _BEGINNINGS:
        return _closed(s, state, state.steps, found) if found else None
    if not dialect.drops_commas:
        return None
    return _closed(s, state, Step(state.steps, Edit(state.comma, 1, "", RepairKind.TRAILING_COMMA)), found)


def _closed(s: Search, state: State, steps: Step | None, found: re.Match[str]) -> State | None:
    """After a closing bracket."""
    end, parent, outer = found.end(), state.frame.parent, state.members.outer
    steps = plain(steps, end - 1, found["close"])
    if s.brackets_too:
        drop_bracket(s, state.but(at=end - 1, place=Place.AFTER), s.text[end - 1])
    if parent is None or outer is None:
        if s.rest.cost(end):
            return None
        s.finish(state.but(steps=steps), end)
        return state.but(frame=OUTSIDE)
    return state.but(at=end, place=Place.AFTER, frame=parent, members=outer.with_value(end), steps=steps)


def _behind_member(s: Search, state: State, names: dict[int, set[str]]) -> State | None:
    found = (_PLAIN_MEMBER if s.asked.latex else _MEMBER).match(s.text, state.at)
    if found is not None and not found["close"]:
        return _behind_key(s, state, found, Spoken(state.steps, found["key"], found.start("key") - 1), names)
    ended = _at_end(s, state)
    if ended or found or s.brackets_too or s.asked.latex:
        return ended
    dialect = dialect_of(state.habits)
    found = dialect.member.match(s.text, state.at)
    read = spoken(s.text, state, found, dialect.keys, dialect.values) if found else None
    return _behind_key(s, state, found, read, names) if found and read else None


def _behind_key(
    s: Search, state: State, found: re.Match[str], read: Spoken, names: dict[int, set[str]]
) -> State | None:
    steps, key, start = read
    number, end = state.frame.number, found.end()
    if state.cost and _BRACKET.search(key) and holds_bracket(key):
        return None  # it may have swallowed a bracket: it is looked at
    known = names.get(number)
    if known is None:
        known = names[number] = set(_names(state.members.keys))
        if key in known and state.cost:
            return None  # after a repair a key that occurs twice is looked at
    keys, outer, size, ends, indent = state.members
    line = s.text.rfind("\n", max(0, start - INDENT_LIMIT), start) + 1
    cost = state.cost + (EDIT + DOUBT) * (key in known)
    if line and not s.text[line:start].strip(" \t"):
        cost += DOUBT * (0 <= indent != start - line)
        indent = start - line if indent < 0 else indent
    known.add(key)
    keys, comma = Keys(key, keys, bare=False), found["comma"]
    if found["open"]:
        return _opened(s, state, end, Members(keys, outer, size, ends, indent), cost, steps)
    members = Members(keys, outer, size + 1, (end - bool(comma), ends[0]), indent)
    if comma:
        return _behind_comma(s, state, end, members, cost, steps)
    return state.passed(end, Place.AFTER, members, cost, steps, state.comma)


def _behind_elements(s: Search, state: State) -> State | None:
    found = (_PLAIN_ELEMENT if s.asked.latex else _ELEMENT).match(s.text, state.at)
    if found is not None and not found["close"]:
        if found["open"] and s.brackets_too and state.place is Place.FIRST_ELEMENT:
            drop_opener(s, state)
        return _behind_element(s, state, found, state.steps)
    ended = _at_end(s, state)
    if ended or found or s.brackets_too or s.asked.latex:
        return ended
    dialect = dialect_of(state.habits)
    found = dialect.element.match(s.text, state.at)
    read = spoken(s.text, state, found, (), dialect.values) if found else None
    return _behind_element(s, state, found, read.steps) if found and read else None


def _behind_element(s: Search, state: State, found: re.Match[str], steps: Step | None) -> State | None:
    end, comma = found.end(), found["comma"]
    if found["open"]:
        return _opened(s, state, end, state.members, state.cost, steps)
    members = state.members.with_value(end - bool(comma))
    if comma:
        return _behind_comma(s, state, end, members, state.cost, steps)
    return state.passed(end, Place.AFTER, members, state.cost, steps, state.comma)


def _opened(s: Search, state: State, end: int, members: Members, cost: int, steps: Step | None) -> State | None:
    """After an opening bracket; None if it is too deep."""
    kind, steps = OPENERS[s.text[end - 1]], plain(steps, end - 1, s.text[end - 1])
    frame = s.frame(kind, end - 1, state.frame)
    if frame is None:
        return None
    return state.but(at=end, place=_FIRST[kind], frame=frame, members=Members(outer=members), cost=cost, steps=steps)


def _names(keys: Keys | None) -> Iterator[str]:
    while keys is not None:
        yield keys.text
        keys = keys.before
