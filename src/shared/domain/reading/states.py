"""The state of one reading: its place in the grammar, the open containers, and its cost so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeVar

from src.shared.domain.edits import Edit
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.reading.costs import AGAIN, EDIT
from src.shared.domain.reading.reading import Problem, is_of_structure
from src.shared.domain.repair import RepairKind

UNCLOSED_KEY = "unclosed key"
_SLIPS: frozenset[RepairKind | str] = frozenset(
    {
        *(RepairKind.DOUBLED_COMMA, RepairKind.MISSING_COMMA, RepairKind.MISSING_COLON, RepairKind.MARKUP),
        *(RepairKind.COMMENT, RepairKind.JAVASCRIPT_LITERAL, RepairKind.NUMBER_SPELLING, UNCLOSED_KEY),
    }
)
_SPELLINGS = frozenset(
    {
        *(RepairKind.TRAILING_COMMA, RepairKind.PYTHON_LITERAL, RepairKind.FULL_WIDTH_PUNCTUATION),
        *(RepairKind.UNQUOTED_KEY, RepairKind.UNESCAPED_QUOTE, RepairKind.CONTROL_CHARACTER),
    }
)
_HABITS = _SLIPS | _SPELLINGS
"""What is made everywhere if it is made at all. A spelling is a way to write, and costs nothing once it is known."""


class Place(IntEnum):
    """Where in the grammar a reading is: what is expected there."""

    FIRST_KEY = 0
    """After an opening brace: a key, or the closing brace."""
    KEY = 1
    """After a comma in an object."""
    COLON = 2
    """After a key."""
    VALUE = 3
    """After a colon."""
    FIRST_ELEMENT = 4
    """After an opening bracket: an element, or the closing bracket."""
    ELEMENT = 5
    """After a comma in a list."""
    AFTER = 6
    """After a value: a comma, or the closing bracket."""
    QUOTE = 7
    """In a string, at a quote that may end it."""


FIRST_PLACE = {"{": Place.FIRST_KEY, "[": Place.FIRST_ELEMENT, "(": Place.FIRST_ELEMENT}
NEXT_PLACE = {"{": Place.KEY, "[": Place.ELEMENT, "(": Place.ELEMENT}
"""The kind of a container → what is expected behind its opening bracket, and behind a comma in it."""


class Frame(NamedTuple):
    """An open container: `number` is the same for all readings that have the same containers open.

    `is_written` says that the text has its opening bracket, and those of all around it.
    """

    number: int
    kind: str
    opened: int
    parent: Frame | None
    depth: int
    is_written: bool = True


class Keys(NamedTuple):
    """One key of an object, and those before it; `bare` where it had no quotes."""

    text: str
    before: Keys | None
    bare: bool


class Members(NamedTuple):
    """What one reading has found in the innermost container, and in those around it.

    Attributes:
        keys: its keys, the last one first.
        outer: the same for the container around it.
        size: how many values are complete.
        ends: where the last complete value ends, and the one before it; -1 where there is none.
        indent: characters before the keys that stand first on their lines, or -1 before there is one.
    """

    keys: Keys | None = None
    outer: Members | None = None
    size: int = 0
    ends: tuple[int, int] = (-1, -1)
    indent: int = -1

    def with_value(self, end: int) -> Members:
        """The same with one complete value more."""
        return Members(self.keys, self.outer, self.size + 1, (end, self.ends[0]), self.indent)


NO_MEMBERS = Members()
"""An outermost container of which nothing was read."""


class Offsets(NamedTuple):
    """An offset, and those before it."""

    at: int
    before: Offsets | None


class Joints(NamedTuple):
    """A part between two pieces of a string, and those before it."""

    start: int
    end: int
    before: Joints | None


class Text(NamedTuple):
    """A string that is being read.

    Attributes:
        start: offset of its opening quote, or of its first character where that was forgotten.
        quote: the opening quote; empty where it was forgotten.
        inner: the quotes that were met and taken for text, the last one first.
        joints: what stands between two pieces of it, the last one first.
        marks: how many of both there are, so that readings of a string that differ in them are told apart.
    """

    start: int
    quote: str
    inner: Offsets | None = None
    joints: Joints | None = None
    marks: tuple[int, int] = (0, 0)

    def with_inner(self, at: int) -> Text:
        """The string with a quote that is text."""
        return self._replace(inner=Offsets(at, self.inner), marks=(self.marks[0] + 1, self.marks[1]))

    def with_joint(self, start: int, end: int) -> Text:
        """The string with a part between two pieces of it."""
        return self._replace(joints=Joints(start, end, self.joints), marks=(self.marks[0], self.marks[1] + 1))

    @property
    def first(self) -> int:
        """Offset of its first character."""
        return self.start + len(self.quote)


@dataclass(slots=True, eq=False)
class Step:
    """One thing a reading did, and what it did before.

    Attributes:
        before: the step before.
        edit: an edit, or None.
        text: a string whose own edits are worked out at the end, or None.
        end: where the text of that string ends.
        closing: how long its closing quote is; 0 where it was forgotten, negative where it is no single sign.
        failure: what is a guess, or not understood: the nearest reading with such a step is refused.
        run: text of the reading's dialect that was passed over, or None.
        others: the steps of other readings that came here at the same cost.
    """

    before: Step | None
    edit: Edit | None = None
    text: Text | None = None
    end: int = 0
    closing: int = 0
    failure: Problem | None = None
    run: Run | None = None
    others: tuple[Step | None, ...] = ()


@dataclass(slots=True, eq=False)
class State:
    """A reading up to an offset. Other readings go on from it: it is never changed.

    Attributes:
        at: the offset.
        place: what is expected there.
        frame: the innermost open container.
        members: what was found in it.
        cost: what the reading has cost.
        steps: what it did, the last thing first.
        text: the string that is being read, or None.
        role: what that string is: `KEY`, `VALUE` or `ELEMENT`.
        habits: the slips it has met that are made everywhere, if they are made at all.
        comma: offset of the comma that was read last, or of what stands for it.
        passes_from: up to where it goes token by token, with every alternative; beyond, undamaged text is passed over.
        unsure: the first guess of it, for which it will be refused if it is the nearest.
    """

    at: int
    place: Place
    frame: Frame
    members: Members = NO_MEMBERS
    cost: int = 0
    steps: Step | None = None
    text: Text | None = None
    role: Place = Place.VALUE
    habits: frozenset[RepairKind | str] = frozenset()
    comma: int = -1
    passes_from: int = -1
    unsure: Problem | None = None

    def but(self, **changes: object) -> State:
        """The same with these attributes changed."""
        new = State(
            self.at,
            self.place,
            self.frame,
            self.members,
            self.cost,
            self.steps,
            self.text,
            self.role,
            self.habits,
            self.comma,
            self.passes_from,
            self.unsure,
        )
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def passed(
        self, at: int, place: Place, frame: Frame, members: Members, cost: int, steps: Step | None, comma: int
    ) -> State:
        """The reading behind undamaged text."""
        role, habits, passes_from, unsure = self.role, self.habits, self.passes_from, self.unsure
        return State(at, place, frame, members, cost, steps, None, role, habits, comma, passes_from, unsure)

    def go(self, at: int, place: Place) -> State:
        """The reading at another place."""
        return self.but(at=at, place=place)

    def edit(self, offset: int, length: int, put: str, kind: RepairKind | None, cost: int = EDIT) -> State:
        """The reading with an edit more."""
        steps = Step(self.steps, Edit(offset, length, put, kind))
        if kind not in _HABITS:
            return self.but(cost=self.cost + cost, steps=steps)
        return self.again(kind, cost).but(steps=steps)

    def again(self, habit: RepairKind | str, cost: int) -> State:
        """The reading with the cost of a slip that is less where it was made before."""
        if habit in self.habits:
            return self.but(cost=self.cost + min(cost, AGAIN * (habit in _SLIPS)))
        return self.but(cost=self.cost + cost, habits=self.habits | {habit})

    def drop(self, kind: RepairKind, cost: int = EDIT) -> State:
        """The reading without the character it stands at, and after it."""
        return self.edit(self.at, 1, "", kind, cost).but(at=self.at + 1)

    def guess(self, at: int, reason: Reason, other: int | None = None, cost: int = 0) -> State:
        """The reading, no longer sure."""
        failure = Problem(at, reason, other)
        unsure = self.unsure or (None if is_of_structure(reason) else failure)  # forgiven where all brackets are kept
        return self.but(cost=self.cost + cost, steps=Step(self.steps, failure=failure), unsure=unsure)


class Run(NamedTuple):
    """Text in a reading's dialect, some of it in other signs than those of JSON.

    Attributes:
        begun: the reading where it begins.
        end: where it ends.
        is_quoting: whether some of its strings have quotes inside.
        edits: of the text up to an offset, where they are known; else it is gone over once more at the end.
    """

    begun: State
    end: int
    is_quoting: bool
    edits: Callable[[str, int], Iterator[Edit]] | None = None


Link = TypeVar("Link")
"""`Keys`, `Offsets`, `Joints` or `Step`."""


def linked(last: Link | None) -> Iterator[Link]:
    """A link of a chain, and those before it, the last one first."""
    while last is not None:
        yield last
        last = last.before  # type: ignore[attr-defined]  # each of them has it


def last_step(state: State) -> Step | None:
    """What a reading did last."""
    return next((step for step in linked(state.steps) if step.edit or step.text or step.failure or step.run), None)
