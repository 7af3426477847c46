"""Goes over undamaged text, strict JSON or a reading's dialect, one member, element, comma or bracket after the other.

No state is made on the way: a reading exists where something has to be decided, shortly before what is not undamaged.
What the text is written in other signs than those of JSON is only counted. Its edits are made where the reading is
taken, by going over the text again.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from src.shared.domain.edits import Edit
from src.shared.domain.reading.costs import DOUBT, EDIT
from src.shared.domain.reading.dialect import MEMBER, VALUE, WIDE, dialect_of
from src.shared.domain.reading.lexicon import CLOSERS, OPENERS
from src.shared.domain.reading.moves.brackets import close_before, drop_bracket, drop_opener
from src.shared.domain.reading.moves.keys import holds_bracket
from src.shared.domain.reading.search import Search, key_of
from src.shared.domain.reading.states import (
    FIRST_PLACE,
    NEXT_PLACE,
    Frame,
    Keys,
    Members,
    Place,
    Run,
    State,
    Step,
    linked,
)
from src.shared.domain.reading.sweep import edits_in_dialect, is_due, is_plain_text, sweep
from src.shared.domain.reading.tokens import CLOSER_OF
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.work import PASSED, PASSED_AGAIN, STEP

OUTSIDE = Frame(-1, "", -1, None, 0)
"""Where the outermost container is closed."""
_BEGINNINGS = frozenset(FIRST_PLACE.values())
_IN_MEMBER = (*MEMBER, "comma")
_NO_HABITS: frozenset[K | str] = frozenset()
KEYS_FLOOR = 10_000
CHARACTERS_PER_KEY = 40
"""Most keys of one object that a search remembers: the floor, and one for so many characters. They bound the memory."""
_INDENT_LIMIT = 200
"""Most characters before a key that are looked at for its indentation."""


class Waypoint(NamedTuple):
    """A place on the way: the reading there, how much before it is not as JSON has it, and how many strings quote."""

    at: int
    place: Place
    frame: Frame
    members: Members
    cost: int
    comma: int
    spelled: int
    quoted: int


class Passage:
    """A reading on its way over undamaged text.

    Attributes:
        at: where it is.
        place: what is expected there.
        frame: the innermost open container; `OUTSIDE` behind the outermost one.
        dialect: the expressions by which it goes.
        edits: those of what was passed over; the caller takes them away.
    """

    def __init__(self, s: Search, begun: State, *, collects: bool = False) -> None:
        self.at, self.place, self.frame = begun.at, begun.place, begun.frame
        self.edits: list[Edit] = []
        self._s = s
        self._text = s.text
        self._members, self._cost, self._comma = begun.members, begun.cost, begun.comma
        self._spelled = self._quoted = 0
        self._collects = collects
        habits = _NO_HABITS if s.brackets_too or s.options.latex else begun.habits
        self.dialect = dialect_of(habits, latex=s.options.latex)
        self._names: dict[int, set[str]] = {}
        self._most_keys = KEYS_FLOOR + len(s.text) // CHARACTERS_PER_KEY
        self._begun, self._before = begun, (0, 0)

    def mark(self) -> Waypoint:
        """Where it is."""
        return Waypoint(
            self.at,
            self.place,
            self.frame,
            self._members,
            self._cost,
            self._comma,
            self._spelled,
            self._quoted,
        )

    def state_at(self, mark: Waypoint) -> State:
        """The reading at a place that was passed."""
        begun, (spelled, quoted) = self._begun, self._before
        steps = begun.steps
        if mark.spelled > spelled:
            steps = Step(steps, run=Run(begun, mark.at, mark.quoted > quoted))
        return begun.passed(mark.at, mark.place, mark.frame, mark.members, mark.cost, steps, mark.comma)

    def begin_at(self, state: State, mark: Waypoint) -> None:
        """What is passed from a place on is told apart from what came before."""
        self._begun, self._before = state, (mark.spelled, mark.quoted)

    def goes_on(self) -> bool:
        """Pass the next member, element, comma or bracket; False if it is not undamaged."""
        if self.place is Place.AFTER:
            return self._behind_value()
        kind = self.frame.kind
        return self._behind_member() if kind == "{" else kind == "[" and self._behind_element()

    def _behind_value(self) -> bool:
        found = self.dialect.after.match(self._text, self.at)
        kind = self.frame.kind
        if found is None or kind not in CLOSER_OF:
            return False
        if found["comma"]:
            self._pass_comma(found.end(), self._members)
            return True
        return CLOSERS[found["close"]] == CLOSER_OF[kind] and self._close(found.end())

    def _pass_comma(self, end: int, members: Members) -> None:
        """After a comma; the bracket before it may have been forgotten."""
        self._sign(end - 1)
        self._members = members
        if self._s.brackets_too:
            close_before(self._s, self._here().but(at=end - 1, place=Place.AFTER), end - 1)
        self.at, self.place, self._comma = end, NEXT_PLACE[self.frame.kind], end - 1

    def _here(self) -> State:
        return self.state_at(self.mark())

    def _sign(self, at: int) -> None:
        sign = self._text[at]
        if sign in WIDE:
            self._spelled += 1
            if self._collects:
                self.edits.append(Edit(at, 1, WIDE[sign], K.FULL_WIDTH_PUNCTUATION))

    def _at_end(self) -> bool:
        """At the end of a container: right behind its beginning, or behind a comma that a dialect writes there."""
        dialect = self.dialect
        found = (dialect.object_end if self.frame.kind == "{" else dialect.list_end).match(self._text, self.at)
        if found is None or (self.place not in _BEGINNINGS and not dialect.drops_commas):
            return False
        if self.place not in _BEGINNINGS:
            self._spelled += 1
            if self._collects:
                self.edits.append(Edit(self._comma, 1, "", K.TRAILING_COMMA))
        return self._close(found.end())

    def _close(self, end: int) -> bool:
        """After a closing bracket; False where something is against the end of the outermost container."""
        s, parent, outer = self._s, self.frame.parent, self._members.outer
        self._sign(end - 1)
        if s.brackets_too:
            drop_bracket(s, self._here().but(at=end - 1, place=Place.AFTER), self._text[end - 1])
        if parent is None or outer is None:
            if not self._collects and s.rest.cost(end):
                return False
            self.at = end
            if not self._collects:
                s.finish(self._here(), end)
            self.frame = OUTSIDE
            return True
        self._names.pop(self.frame.number, None)
        self.at, self.place, self.frame, self._members = end, Place.AFTER, parent, outer.with_value(end)
        return True

    def _behind_member(self) -> bool:
        found = self.dialect.member.match(self._text, self.at)
        if found is None:
            return self._at_end()
        lead, key, single, curly, bare, colon, opener, comma = found.group(*_IN_MEMBER)
        if key is None:
            key = self._spelled_key(found, single, curly, bare)
        if colon in WIDE:
            self._sign(found.start("colon"))
        if not self._is_passed(key) or not (opener or self._is_scalar_passed(found)):
            return False
        keys, outer, size, ends, indent = self._members
        line = lead.rfind("\n")
        if line >= 0 and len(lead) - line <= _INDENT_LIMIT:
            own = len(lead) - line - 1
            self._cost += DOUBT * (0 <= indent != own)
            indent = own if indent < 0 else indent
        keys, end = Keys(key, keys, bare=False), found.end()
        if opener:
            return self._open(end, Members(keys, outer, size, ends, indent))
        return self._behind_scalar(end, comma, Members(keys, outer, size + 1, (end - bool(comma), ends[0]), indent))

    def _spelled_key(self, found: re.Match[str], single: str | None, curly: str | None, bare: str | None) -> str:
        """The key that is not in double quotes."""
        self._spelled += 1
        key = single or curly or bare or ""
        if self._collects:
            if bare:
                self.edits.append(Edit(found.start("bare_key"), len(bare), f'"{bare}"', K.UNQUOTED_KEY))
            else:
                kind = K.SINGLE_QUOTE if single is not None else K.SMART_QUOTE
                at = found.start("single_key" if single is not None else "curly_key") - 1
                self.edits.append(Edit(at, len(key) + 2, f'"{key}"', kind))
        return key

    def _is_passed(self, key: str) -> bool:
        """Whether a key needs no look: it holds no bracket, and its object does not have it already."""
        if self._collects:
            return True
        if self._cost and holds_bracket(key):
            return False  # it may have swallowed a bracket
        number = self.frame.number
        known = self._names.get(number)
        if known is None:
            known = self._names[number] = {key.text for key in linked(self._members.keys)}
            if key in known and self._cost:
                return False  # after a repair a key that occurs twice is looked at
        self._cost += (EDIT + DOUBT) * (key in known)
        known.add(key)
        self._s.is_exhausted |= len(known) > self._most_keys
        return True

    def _is_scalar_passed(self, found: re.Match[str]) -> bool:
        """Whether a scalar is as sure as an undamaged one."""
        group = next((name for name in VALUE if found[name] is not None), None)
        if group is None:
            return True
        start, end = found.span(group)
        self._spelled += 1
        if self._collects:
            self.edits += edits_in_dialect(self._text, group, start, end)
        elif group == "text":
            self._quoted += 1
            return is_plain_text(self._text, self._begun, start, end - 1)
        return True

    def _behind_element(self) -> bool:
        found = self.dialect.element.match(self._text, self.at)
        if found is None:
            return self._at_end()
        opener, comma, end = found["open"], found["comma"], found.end()
        if opener:
            if self._s.brackets_too and self.place is Place.FIRST_ELEMENT:
                drop_opener(self._s, self._here())
            return self._open(end, self._members)
        is_passed = self._is_scalar_passed(found)
        return is_passed and self._behind_scalar(end, comma, self._members.with_value(end - bool(comma)))

    def _behind_scalar(self, end: int, comma: str | None, members: Members) -> bool:
        if comma:
            self._pass_comma(end, members)
        else:
            self.at, self.place, self._members = end, Place.AFTER, members
        return True

    def _open(self, end: int, members: Members) -> bool:
        """After an opening bracket; False if it is too deep."""
        kind = OPENERS[self._text[end - 1]]
        frame = self._s.frame(kind, end - 1, self.frame)
        if frame is None:
            return False
        self._sign(end - 1)
        self.at, self.place, self.frame, self._members = end, FIRST_PLACE[kind], frame, Members(outer=members)
        return True


BACK = 3
"""How many members before the trouble alternatives are tried."""
FIRST_NOTED, ONE_NOTED_OF = 8, 16
"""Where readings that pass over the same text meet: at each of the first places, then at some, told by their offset."""
STRUCTURAL = frozenset({Place.FIRST_KEY, Place.KEY, Place.FIRST_ELEMENT, Place.ELEMENT, Place.AFTER})


def pass_undamaged(s: Search, state: State) -> State | None:
    """Let a reading go on at the first thing that is not undamaged, and from a few members before it.

    Returns the state from which to go token by token, where that is the one given.
    """
    passage = Passage(s, state)
    first = passage.mark()
    trail = deque([first])
    count = 0
    can_sweep = not s.brackets_too and not s.options.latex
    while passage.goes_on():
        _charge(s, passage.at)
        if passage.frame is OUTSIDE or s.is_exhausted:
            return None
        trail.append(passage.mark())
        if len(trail) > BACK:
            passed, count = trail.popleft(), count + 1
            if passed is not first and (count < FIRST_NOTED or passed.at % ONE_NOTED_OF == 0):
                noted = passage.state_at(passed)
                passage.begin_at(noted, passed)
                if not s.arrive(noted, key_of(noted), noted.steps):
                    return None
                if can_sweep and is_due(s, first.at, passed.at) and sweep(s, noted, passage.dialect):
                    return None
    s.spend((passage.at - first.at) // 4 + STEP)
    if trail[0] is first:
        return state.but(passes_from=passage.at)
    back = passage.state_at(trail[0]).but(passes_from=passage.at)
    s.settle(back)
    s.push(back)
    return None


def _charge(s: Search, at: int) -> None:
    """Charge for one more member, element or bracket that was passed over up to there."""
    if at > s.passed_to and not s.brackets_too:
        s.passed_to = at
        s.work.owed += PASSED_AGAIN - PASSED
        s.spend(PASSED)
    else:
        s.spend(PASSED_AGAIN)


def edits_of_run(s: Search, run: Run) -> Iterator[Edit]:
    """The edits of what was passed over, worked out once more."""
    if run.edits is not None:
        yield from run.edits(s.text, run.end)
        return
    passage = Passage(s, run.begun, collects=True)
    while passage.at < run.end and passage.goes_on():
        yield from (edit for edit in passage.edits if edit.offset < run.end)
        passage.edits.clear()
