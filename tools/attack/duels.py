"""The attack with duels: an answer beside another object, which must never come back in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pydantic import BaseModel, ValidationError

from tools.attack.answers import OTHERS, SHAPES, Shape, failing
from tools.attack.budget import Budget
from tools.attack.damages import KINDS
from tools.attack.documents import Document
from tools.attack.layouts import LAYOUTS, Layout
from tools.attack.outcome import same, strict_values
from tools.attack.pieces import any_layout, join, write
from tools.attack.reader import Accepted, Crashed, Read, ReadAs, Reading, Refused, read, read_as
from tools.attack.tables import example, table

_COLUMNS = ("duels", "readable", "of them returned", "answer", "refused", "misread", "other", "garbage", "crashed")
_BROKEN = ("other", "garbage", "crashed")
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Duel:
    """A text with an answer and another object.

    Attributes:
        layout: how the two stand in the text.
        shape: the type of the answer.
        answers: what was asked for; damaged, failing the type, or clean.
        written: the answer as it stands in the text.
        other: the object that is not the answer; it is clean.
        what: what is wrong with the answer, and what the other object is.
        text: the whole text.
    """

    layout: Layout
    shape: Shape
    answers: tuple[Document, ...]
    written: str
    other: Document
    what: str
    text: str


@dataclass(slots=True)
class DuelReport:
    """Counts for (layout, whether there was a type, column), and the shortest text for each broken promise."""

    counts: Counter[tuple[str, bool, str]] = field(default_factory=Counter)
    shortest: dict[tuple[str, bool, str], tuple[Duel, Any]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether anything but the answer came back."""
        return bool(self.shortest)

    def add(self, duel: Duel, column: str, got: Any, *, typed: bool, readable: bool) -> None:  # noqa: ANN401 - any value
        """Count a duel."""
        key = duel.layout.name, typed
        self.counts[*key, "duels"] += 1
        self.counts[*key, column] += 1
        if readable:
            self.counts[*key, "readable"] += 1
            self.counts[*key, "of them returned"] += column == "answer"
        if column in _BROKEN:
            found = (duel, got)
            self.shortest[*key, column] = min(found, self.shortest.get((*key, column), found), key=_length)

    def text(self) -> str:
        """Write the table, what its columns mean, and the examples."""
        rows = [self._row((layout.name,), typed) for layout in LAYOUTS for typed in (False, True)]
        names = tuple(layout.name for layout in LAYOUTS)
        rows += [["all", *self._row(names, typed)[1:]] for typed in (False, True)]
        notes = (
            "readable: the answer stands in the text, and alone it is read; of them returned: in the duel, too.\n"
            "misread: the answer's own text gives that value alone, too; see the attack with damaged texts.\n"
            "other: the other object came back; garbage: neither of the two. Both must be 0, and so must crashed."
        )
        examples = [
            example(
                f"{layout}, {_typed(typed)}: {column} ({duel.what})",
                text=duel.text,
                answer=duel.answers[0],
                other=duel.other,
                got=got,
            )
            for (layout, typed, column), (duel, got) in sorted(self.shortest.items())
        ]
        return "\n\n".join([table(("layout", "type", *_COLUMNS), rows), notes, *examples])

    def _row(self, layouts: tuple[str, ...], typed: bool) -> list[object]:  # noqa: FBT001 - a key of the counts
        counts = [sum(self.counts[layout, typed, column] for layout in layouts) for column in _COLUMNS]
        return [layouts[0], _typed(typed), *counts]


def attack(budget: Budget, seed: int, reader: Read = read, typed_reader: ReadAs = read_as) -> DuelReport:
    """Fight duels in every layout in turn, each without a type and with one."""
    report = DuelReport()
    for number, rng in budget.turns(seed):
        duel = any_duel(rng, LAYOUTS[number % len(LAYOUTS)])
        finished = rng.choice((True, None))
        dto_type = duel.shape.dto_type
        _count(report, duel, reader(duel.text, finished=finished), reader(duel.written, finished=finished), None)
        fought = typed_reader(duel.text, dto_type, finished=finished)
        _count(report, duel, fought, typed_reader(duel.written, dto_type, finished=finished), dto_type)
    return report


def _count(report: DuelReport, duel: Duel, fought: Reading, alone: Reading, dto_type: type[BaseModel] | None) -> None:
    answers = [value for each in duel.answers if (value := _as(dto_type, each)) is not None]
    column = judged(fought, alone, answers, _as(dto_type, duel.other))
    readable = duel.layout.answers and isinstance(alone, Accepted) and any(_equal(alone.data, each) for each in answers)
    got = fought.data if isinstance(fought, Accepted) else repr(fought)
    report.add(duel, column, got, typed=dto_type is not None, readable=readable)


def judged(fought: Reading, alone: Reading, answers: Sequence[Any], other: Any) -> str:  # noqa: ANN401 - any value
    """Name the column for what came back; `alone` is what the answer's own text gives without the other object."""
    if isinstance(fought, Crashed):
        return "crashed"
    if isinstance(fought, Refused):
        return "refused"
    if any(_equal(fought.data, answer) for answer in answers):
        return "answer"
    if other is not None and _equal(fought.data, other):
        return "other"
    return "misread" if isinstance(alone, Accepted) and _equal(fought.data, alone.data) else "garbage"


def any_duel(rng: Random, layout: Layout) -> Duel:
    """Make a duel: the answer is clean, fails its type, or is damaged in one of the kinds."""
    shape = rng.choice(SHAPES)
    answer = valid = shape.make(rng)
    sort = rng.choice(OTHERS)
    state = rng.choice(("clean", "failing", "damaged", "damaged", "damaged"))
    if state == "failing":
        answer = failing(rng, shape, valid)
    written = join(write(answer, any_layout(rng)))
    if state == "damaged":
        state, written = _damaged(rng, answer, written)
    other = sort.make(rng, shape, valid)
    while not _differ(other, answer, shape.dto_type):
        sort = rng.choice(OTHERS)
        other = sort.make(rng, shape, valid)
    text = layout.write(rng, written, join(write(other, any_layout(rng))))
    answers = (answer, *strict_values([written]))
    return Duel(layout, shape, answers, written, other, f"{state}, beside {sort.name}", text)


def _damaged(rng: Random, answer: Document, clean: str) -> tuple[str, str]:
    for _ in range(_TRIES):
        damage = rng.choice(KINDS)
        changed = damage.change(rng, write(answer, any_layout(rng)))
        if changed is not None:
            return damage.kind, join(changed)
    return "clean", clean


def _differ(other: Document, answer: Document, dto_type: type[BaseModel]) -> bool:
    """Whether an object is not the answer by chance, as JSON or as its type has it."""
    as_type = _as(dto_type, other)
    return not same(other, answer) and (as_type is None or as_type != _as(dto_type, answer))


def _as(dto_type: type[BaseModel] | None, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The value as its type has it; None where it fails the type."""
    if dto_type is None:
        return value
    try:
        return dto_type.model_validate(value)
    except ValidationError:
        return None


def _equal(left: Any, right: Any) -> bool:  # noqa: ANN401 - any value
    return bool(left == right) if isinstance(left, BaseModel) else same(left, right)


def _typed(typed: bool) -> str:  # noqa: FBT001 - a key of the counts
    return "yes" if typed else "no"


def _length(found: tuple[Duel, Any]) -> tuple[int, str]:
    return len(found[0].text), found[0].text
