"""The machine that reads one container: a stack, a place, and a list of edits. It knows no sign of any notation.

A step is a function of the place; it returns the next one. So the machine pauses, goes on and is copied for a trial at
no price. Where a damage stands, the rows of its place are asked in their order: a row makes its move if there is a
witness, and passes otherwise. Where none does, the text is refused there. A trial runs a copy for a bounded number of
steps and starts no trial of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum, auto
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from src.shared.domain.edits import Edit
from src.shared.domain.parse_reasons import TOO_DAMAGED, TOO_DEEP, TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.reading import Problem, Value
from src.shared.domain.repair import RepairKind

if TYPE_CHECKING:
    import re

    from src.shared.domain.work import Work

STEP_COST = 40
"""Units of work of a step, what it passes over apart."""
TRIAL_STEPS = 120
"""Most steps of a trial."""
MOST_TRIALS = 64
"""Most decisions of one text that are put on trial."""
MAX_DEPTH = 500
"""Most containers inside each other."""
_BRACKETS = frozenset({RepairKind.MISSING_BRACKET, RepairKind.SURPLUS_BRACKET, RepairKind.DOUBLED_COMMA})


class Place(IntEnum):
    """Where the machine stands, which says what it does next."""

    PASS = 0
    """No place: a decision has no witness."""
    INSIDE = auto()
    """Before a key or an element: what is undamaged is passed over."""
    KEY = auto()
    VALUE = auto()
    ELEMENT = auto()
    AFTER = auto()
    """Behind a value."""
    OVER = auto()
    """The container is closed: there is no next step."""


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """The text cannot be read here without a guess.

    Attributes:
        at: where.
        reason: why.
        other: where another reading would differ.
    """

    def __init__(self, at: int, reason: Reason = TWO_READINGS, other: int | None = None) -> None:
        """Say where and why."""
        super().__init__(reason.en)
        self.at, self.reason, self.other = at, reason, other


class Brackets(NamedTuple):
    """What is known of the brackets of a text when it is read again.

    Attributes:
        dropped: the offsets of those that open or close nothing.
        put: the offsets of commas before which a closing one is missing.
        counted: the offset of the container whose commas are listed; -1 for none.
        is_sure: whether no other bracket can be the one that is missing or surplus.
    """

    dropped: frozenset[int] = frozenset()
    put: frozenset[int] = frozenset()
    counted: int = -1
    is_sure: bool = False


_NOTHING_KNOWN = Brackets()


class Doubt(Refusal):
    """A bracket is missing or surplus, and it may be any of several.

    Attributes:
        alternatives: what else may be known of the brackets; one alone is what the indentation says.
        container: the offset of a container that may be closed before each of its commas; -1 for none.
    """

    def __init__(self, at: int, other: int, alternatives: Sequence[Brackets] = (), container: int = -1) -> None:
        """Name both places, and the readings."""
        super().__init__(at, other=other)
        self.alternatives, self.container = alternatives, container


@dataclass(slots=True, eq=False)
class Frame:
    """An open container.

    Attributes:
        kind: its opening bracket in JSON, `{` or `[`.
        opened: the offset of its opening bracket; of what stands there where it was forgotten.
        comma: the offset of its last comma; -1 before there is one.
        items: how many items have ended, at least 2 where it is more than one.
        end: the offset behind its last whole item; -1 before there is one.
        is_doubled: whether its brackets are written twice, as in a template.
    """

    kind: str
    opened: int
    comma: int = -1
    items: int = 0
    end: int = -1
    is_doubled: bool = False

    def __copy__(self) -> Frame:
        """The same, to be changed on its own."""
        return Frame(self.kind, self.opened, self.comma, self.items, self.end, self.is_doubled)


Step: TypeAlias = Callable[["Machine"], Place]
"""What is done at a place, or tried on a copy of the machine."""


class Dialect(NamedTuple):
    """What a text writes in its own way: its habits, and the expressions that pass over what is undamaged in them.

    Attributes:
        habits: the set.
        members: a run of whole members (`run`), and the next one up to the container that it `open`s or the `close` of
            the object; `last` and `value` are the last scalars.
        elements: the same in a list.
        after: a comma or a closing bracket.
        spelled: what of a run is not as JSON has it, by name, strings of JSON apart; None without any.
    """

    habits: frozenset[str]
    members: re.Pattern[str]
    elements: re.Pattern[str]
    after: re.Pattern[str]
    spelled: re.Pattern[str] | None


class Grammar(NamedTuple):
    """What the machine does not know of itself.

    Attributes:
        dialect: the dialect of a set of habits.
        steps: what is done at each place.
        value: what a reading comes to that is at its end.
        closers: the signs that close a container: a text that ends with one of them is hardly cut off.
    """

    dialect: Callable[[frozenset[str]], Dialect]
    steps: Mapping[Place, Step]
    value: Callable[[Machine], Value]
    closers: frozenset[str]


class Decision(NamedTuple):
    """A row of the table of decisions.

    Attributes:
        name: what it is called in the table and beside its cases.
        signs: the first characters at which it is asked for; empty for all.
        move: makes it at an offset, and says what comes next; PASS without a witness.
        seen: what stands there.
        does: what the move does.
        witness: what has to show that it is right.
    """

    name: str
    signs: Collection[str]
    move: Callable[[Machine, int], Place]
    seen: str
    does: str
    witness: str


class Decisions:
    """The rows of one place, in their order."""

    def __init__(self, place: str, reason: Reason, rows: Sequence[Decision]) -> None:
        """Take the place in the words of the page, the reason to refuse where no row has a witness, and the rows."""
        self.place, self._reason, self.rows = place, reason, rows
        self._at_any = [row for row in rows if not row.signs]
        signs = {sign for row in rows for sign in row.signs}
        self._at = {sign: [row for row in rows if not row.signs or sign in row.signs] for sign in signs}

    def make(self, m: Machine, at: int) -> Place:
        """Make the first decision for which there is a witness.

        Raises:
            Refusal: there is none.
        """
        for row in self._at.get(m.text[at : at + 1], self._at_any):
            if place := row.move(m, at):
                m.decided.append(row.name)
                return place
        raise Refusal(at, self._reason)


class Machine:
    """The state of the reading of the container that opens at `start`.

    Attributes:
        stack: the open containers, the outermost first.
        edits: what was mended, in the order in which it was.
        habits: the spellings of the text so far.
        at: the place that is reached.
        last: the offset of the last scalar that began; -1 without one.
        unclosed: the offset of the last text that ended without its quote, or of an element that began with two; -1
            without one.
        end: the offset behind the container; -1 before it is closed.
        decided: the names of the decisions that were made.
        closed: since the last scalar: the containers that were closed, each with the one around it.
        left: all that were closed, with the one around each and the offset behind.
        is_bare: whether the last key had no quotes.
        is_lossy: whether something is left out in the text, and given up.
        in_vain: strings for which another end was looked for and not found.
        doubts: brackets that a reading may as well have put elsewhere.
        known: what is known of its brackets.
        commas: the commas of the container that is counted.
        passed_over: where another reading differs that the type does not fit; None without one.
    """

    def __init__(  # noqa: PLR0913 - what is known of a text
        self,
        text: str,
        start: int,
        dialect: Dialect,
        grammar: Grammar,
        *,
        finished: bool | None = None,
        fits: Callable[[Any], bool] | None = None,
        salvage: bool = False,
        known: Brackets = _NOTHING_KNOWN,
        work: Work | None = None,
    ) -> None:
        """Begin at an opening bracket; `push` opens it."""
        self.text, self.start, self.finished, self.fits, self.salvage = text, start, finished, fits, salvage
        self.known, self.work, self.dialect, self.grammar = known, work, dialect, grammar
        self.habits: frozenset[str] = dialect.habits
        self.stack: list[Frame] = []
        self.edits: list[Edit] = []
        self.decided: list[str] = []
        self.commas: list[int] = []
        self.closed: list[tuple[Frame, Frame]] = []
        self.left: list[tuple[Frame, Frame, int]] = []
        self.at, self.end, self.last, self.unclosed = start + 1, -1, -1, -1
        self.place = Place.INSIDE
        self.is_trial = self.is_bare = self.is_lossy = False
        self.passed_over: Problem | None = None
        self.trials = self.doubts = self.in_vain = 0

    # --- what moves do ---

    def edit(self, at: int, length: int, put: str, kind: RepairKind | None) -> None:
        """Replace so many characters at an offset; without a kind it follows from another edit."""
        self.edits.append(Edit(at, length, put, kind))

    def habit(self, name: str) -> None:
        """From here on this spelling is undamaged."""
        if name not in self.habits:
            self.habits |= {name}
            self.dialect = self.grammar.dialect(self.habits)

    def push(self, kind: str, opened: int) -> None:
        """Open a container.

        Raises:
            Refusal: it is too deep.
        """
        if len(self.stack) >= MAX_DEPTH:
            raise Refusal(opened, TOO_DEEP)
        self.stack.append(Frame(kind, opened))
        self.closed.clear()

    def go(self, at: int, place: Place) -> Place:
        """Go on elsewhere."""
        self.at = at
        return place

    def comma_at(self, at: int, behind: int) -> Place:
        """An item ends before a comma, and the next one is behind it."""
        frame = self.stack[-1]
        frame.comma = at
        frame.items += 1
        return self.go(behind, Place.INSIDE)

    # --- running ---

    def run(self, most: int = 1 << 60) -> bool:
        """Go on until the container is closed; False where so many steps were made before.

        Raises:
            Refusal: it cannot be read without a guess.
        """
        place, work, steps = self.place, self.work, self.grammar.steps
        while place is not Place.OVER and most:
            before = self.at
            place = steps[place](self)
            most -= 1
            if work is not None and not work.spend(STEP_COST + max(0, self.at - before)):
                raise Refusal(self.at, TOO_DAMAGED)
        self.place = place
        return place is Place.OVER

    def choose(self, at: int, moves: Sequence[Step], *, most: int = 1) -> Place:
        """Make the one move whose trial comes to an end, or at least further than all others.

        Args:
            at: the place that is named where there is no such move.
            moves: what may be done there.
            most: brackets that the move may put or drop in all.

        Raises:
            Refusal: no trial gets on, or two do with different values.
        """
        if self.is_trial:
            raise Refusal(at, other=self.stack[-1].opened)
        self.trials += 1
        if self.trials > MOST_TRIALS:
            raise Refusal(at, TOO_DAMAGED)
        left = self._tried(moves, self.bracket_edits + most)
        chosen = left[0] if len(left) == 1 else None
        if chosen is None or chosen.bracket_edits - self.bracket_edits > most:
            raise Refusal(at, other=chosen.end if chosen and chosen.end >= 0 else self.stack[-1].opened)
        self.__dict__.update(chosen.__dict__)
        self.is_trial = False
        return self.place

    def _tried(self, moves: Sequence[Step], most: int) -> list[Machine]:
        """The trials that came to an end, of different values, and those that still go on.

        Raises:
            Refusal: all that is left of them comes to the end of the text, which is cut off.
            Doubt: the only one that is left may end another bracket elsewhere.
        """
        ended, going, cut, doubts = list[Machine](), list[Machine](), list[Machine](), list[Doubt]()
        for move in moves:
            trial = self.copied()
            trial.is_trial = True
            try:
                trial.place = move(trial)
                (ended if trial.run(TRIAL_STEPS) else going).append(trial)
            except Refusal as refusal:
                if refusal.reason is TRUNCATED:
                    cut.append(trial)
                if isinstance(refusal, Doubt):
                    doubts.append(refusal)
            self.in_vain = max(self.in_vain, trial.in_vain)
        if cut:
            ended = [trial for trial in ended if trial.bracket_edits <= most]
        least = min((trial.bracket_edits for trial in ended), default=most + 1)
        if doubts and least > most and not going:
            raise doubts[0]
        if not ended and not self.salvage and self.text.rstrip()[-1:] in self.grammar.closers:
            return going
        if not ended:
            if len(cut) > 1 and not going:
                raise Refusal(len(self.text), TRUNCATED)
            return [*going, *cut]
        return [*self._different([trial for trial in ended if trial.bracket_edits == least]), *going]

    @property
    def bracket_edits(self) -> int:
        """How many brackets were put, dropped or replaced."""
        return self.doubts + sum(len(one.put) or 1 for one in self.edits if one.kind in _BRACKETS)

    def copied(self) -> Machine:
        """A copy that changes nothing of this machine."""
        other = copy(self)
        other.stack = [copy(frame) for frame in self.stack]
        other.edits, other.closed, other.left = list(self.edits), list(self.closed), list(self.left)
        other.decided = list(self.decided)
        return other

    def _different(self, ended: list[Machine]) -> list[Machine]:
        """One of each value; that one alone, of several, that the type fits."""
        if len(ended) == 1:
            return ended
        values: dict[str, tuple[Machine, Value]] = {}
        for trial in ended:
            value = self.grammar.value(trial)
            if value.problem is None:
                values.setdefault(json.dumps(value.data), (trial, value))
        if len(values) > 1 and self.fits is not None:
            fitting = [pair for pair in values.values() if self.fits(pair[1].data)]
            if len(fitting) == 1:
                other = next(pair[1] for pair in values.values() if pair is not fitting[0])
                fitting[0][0].passed_over = between(fitting[0][1], other)
            return [trial for trial, _ in fitting]
        return [trial for trial, _ in values.values()]


def between(one: Value, other: Value) -> Problem:
    """The first places where two readings differ."""
    first, second = next((pair for pair in zip_longest(one.edits, other.edits) if pair[0] != pair[1]), (None, None))
    places = sorted({edit.offset for edit in (first, second) if edit} or {one.end})
    return Problem(places[0], TWO_READINGS, places[1] if places[1:] else None)


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits by their offsets; those at one place in the order in which they were made, an insertion before all others.

    Raises:
        Refusal: two of them overlap.
    """
    ordered = sorted(edits, key=lambda edit: edit.offset)
    at = -1
    for edit in ordered:
        if edit.offset < at and edit.length:
            raise Refusal(edit.offset)
        at = max(at, edit.offset + edit.length)
    return ordered
