"""Reads one damaged container: a value with its edits, or the one reason why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from src.shared.domain.edits import Edit, EditedText, kinds_of, merged
from src.shared.domain.parse_reasons import NUMBER_TOO_LONG, TRUNCATED, TWO_READINGS
from src.shared.domain.reading import after, brackets, dialect, ends, keys, values
from src.shared.domain.reading.brackets import TUPLE
from src.shared.domain.reading.escapes import escape_edits
from src.shared.domain.reading.machine import Brackets, Doubt, Grammar, Machine, Place, Refusal, between, in_order
from src.shared.domain.reading.reading import ELISION, Problem, Value
from src.shared.domain.reading.signs import CLOSERS, OPENERS
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import Work

MOST_FITTED = 8
"""Most readings that differ by a bracket of which it is asked whether the type fits them."""
_BETWEEN_MEMBERS = frozenset({
    RepairKind.MISSING_QUOTE, RepairKind.STRAY_QUOTE, RepairKind.UNESCAPED_QUOTE, RepairKind.MISSING_COMMA,
    RepairKind.MISSING_BRACKET, RepairKind.SURPLUS_BRACKET,
})  # fmt: skip
"""Repairs that say where members and objects end."""
_LOOK_BACK = 4_000
"""Characters before a key that stands there again in which the first one is looked for."""


def read(
    text: str,
    start: int,
    *,
    finished: bool | None = None,
    fits: Callable[[Any], bool] | None = None,
    salvage: bool = False,
    as_written: bool = False,
    work: Work | None = None,
) -> Value:
    """Read the container that opens at `start`.

    Args:
        text: the text it stands in.
        start: offset of its opening bracket.
        finished: whether the model stopped by itself (True) or was cut off (False); None if unknown.
        fits: whether a value is one of the type that is asked for; it chooses between readings.
        salvage: where the text is cut off, keep the members that are whole.
        as_written: keep the digits of numbers that a float cannot hold.
        work: what is charged for the time it takes.
    """
    first = dialect.first_dialect(text, start)
    machine = partial(Machine, text, start, first, GRAMMAR, finished=finished, fits=fits, work=work)
    return _Reading(text, start, machine, fits, salvage, as_written).value()


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is asked of one text."""

    text: str
    start: int
    machine: Callable[..., Machine]
    fits: Callable[[Any], bool] | None
    salvage: bool
    as_written: bool

    def value(self) -> Value:
        """The value, or why there is none."""
        try:
            value = self._value(Brackets())
        except Doubt as doubt:
            value = self._settled(doubt)
        return self._one_object(value)

    def _one_object(self, value: Value) -> Value:
        """The value, unless a key stands twice in an object of it that may be two, with what was mended between."""
        last = self.start
        for offset, length, put, kind, _ in value.edits:
            if kind in _BETWEEN_MEMBERS and (put != "," or not length):
                last = offset
            key = self.text[offset : offset + length] if kind is RepairKind.DUPLICATE_KEY else ""
            if key and last > self.start and self.text.rfind(key, max(last, offset - _LOOK_BACK), offset) < 0:
                return Value(value.start, value.end, problem=Problem(last, TWO_READINGS, offset), damaged=True)
        return value

    def _machine(self, known: Brackets, *, salvage: bool) -> Machine:
        m = self.machine(known=known, salvage=salvage)
        begin(m)
        return m

    def _value(self, known: Brackets) -> Value:
        """The value where so much is known of the brackets; a doubt that one of several is missing is raised."""
        m = self._machine(known, salvage=self.salvage)
        try:
            m.run()
        except Doubt:
            raise
        except Refusal as refusal:
            if self.salvage and refusal.reason is TRUNCATED and ends.salvage(m):
                return _finished(m, as_written=self.as_written, cut=True)
            if refusal.reason is ELISION and not self.salvage:
                refusal = self._cut_behind(refusal)
            return _refused(m, refusal)
        return _finished(m, as_written=self.as_written)

    def _cut_behind(self, refusal: Refusal) -> Refusal:
        """That the text is cut off, where it is, behind a place where something was left out."""
        try:
            self._machine(Brackets(is_sure=True), salvage=True).run()
        except Refusal as later:
            return later if later.reason is TRUNCATED else refusal
        return refusal

    def _settled(self, doubt: Doubt) -> Value:
        """Of readings that differ by a bracket, the one that the indentation says, or the only one that fits."""
        refused = Value(self.start, doubt.at, problem=Problem(doubt.at, doubt.reason, doubt.other), damaged=True)
        alternatives = list(doubt.alternatives) or list(self._alternatives(doubt.container))
        if len(alternatives) == 1:
            return self._value(alternatives[0])
        if len(alternatives) > MOST_FITTED:
            return refused
        found: dict[str, Value] = {}
        for known in alternatives:
            value = self._value(known)
            if value.problem is None:
                found.setdefault(json.dumps(value.data), value)
        left = [value for value in found.values() if self.fits is None or self.fits(value.data)]
        if len(left) > 1:
            left = [value for value in left if RepairKind.DUPLICATE_KEY not in kinds_of(value.edits)]
        if len(left) != 1 or (self.fits is None and len(found) == 1):
            return refused
        other = next((value for value in found.values() if value is not left[0]), None)
        is_chosen = other is not None and self.fits is not None
        return replace(left[0], passed_over=between(left[0], other) if is_chosen and other else None)

    def _alternatives(self, container: int) -> Iterator[Brackets]:
        """A container that is closed before one of its commas, or at the end; where the lines say which, that one."""
        m = self._machine(Brackets(counted=container, is_sure=True), salvage=False)
        try:
            m.run()
        except Refusal:
            return
        over = [end for frame, _, end in m.left if frame.opened == container]
        if over and max(m.commas, default=-1) >= over[-1]:  # a trial counted one of another container
            return
        comma = brackets.comma_by_column(self.text, container, m.commas)
        if comma >= 0:
            yield Brackets(put=frozenset({comma}), is_sure=True)
            return
        yield Brackets(is_sure=True)
        yield from (Brackets(put=frozenset({comma}), is_sure=True) for comma in m.commas)


def begin(m: Machine) -> None:
    """Open the outermost container."""
    if m.text[m.start] == TUPLE:
        values.open_tuple(m, m.start)
        return
    m.push(OPENERS[m.text[m.start]], m.start)
    dialect.wide(m, m.start)


def _refused(m: Machine, refusal: Refusal) -> Value:
    problem = Problem(refusal.at, refusal.reason, refusal.other)
    return Value(m.start, max(m.at, refusal.at), problem=problem, damaged=True)


def _finished(m: Machine, *, as_written: bool, cut: bool = False) -> Value:
    """The value of a reading that came to its end: the strict decoder reads the text with the edits applied."""
    text, start, end = m.text, m.start, m.end
    try:
        edits = in_order(m.edits)
        further = escape_edits(text, start, end, edits)
        if further:
            edits = in_order((*edits, *further))
        edited = EditedText(text, start, end, edits)
        decoded = decode_at(edited.text, 0, as_written=as_written)
    except Refusal as refusal:
        return _refused(m, refusal)
    except (ValueError, RecursionError) as error:
        place = getattr(error, "pos", None)
        problem = Problem(start, NUMBER_TOO_LONG) if place is None else Problem(edited.origin(place), TWO_READINGS)
        return Value(start, end, problem=problem, damaged=True)
    moved = [Edit(edited.origin(edit.offset), *edit[1:]) for edit in decoded.edits]
    whole = merged(edits, moved) if moved else edits
    return Value(start, end, decoded.data, whole, cut=cut or m.is_lossy, damaged=True, passed_over=m.passed_over)


GRAMMAR = Grammar(
    dialect.dialect,
    {
        Place.INSIDE: dialect.pass_run,
        Place.KEY: keys.step,
        Place.VALUE: values.step,
        Place.ELEMENT: values.element_step,
        Place.AFTER: after.step,
    },
    lambda m: _finished(m, as_written=False),
    frozenset(CLOSERS),
)
