"""Reads one damaged container: a value with its edits, or the one reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from src.shared.domain.edits import Edit, EditedText, merged
from src.shared.domain.engine import after, dialect, ends, keys, values
from src.shared.domain.engine.escapes import escape_edits
from src.shared.domain.engine.machine import Grammar, Machine, Misplaced, Place, Refusal, in_order
from src.shared.domain.engine.signs import OPENERS
from src.shared.domain.parse_reasons import NUMBER_TOO_LONG, TRUNCATED, TWO_READINGS
from src.shared.domain.reading.reading import ELISION, Problem, UnreadableError, Value
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import Work


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
    ignored: frozenset[int] = frozenset()
    while True:
        m = Machine(
            text, start, dialect.first_dialect(text, start), GRAMMAR,
            finished=finished, fits=fits, salvage=salvage, ignored=ignored, work=work,
        )  # fmt: skip
        try:
            begin(m)
            m.run()
            return _finish(m, as_written=as_written)
        except Misplaced as misplaced:
            ignored = frozenset({misplaced.at})
        except Refusal as refusal:
            if salvage and refusal.reason is TRUNCATED and ends.salvage(m):
                return _finish(m, as_written=as_written, cut=True)
            if refusal.reason is ELISION and not salvage:
                refusal = _cut_behind(text, start, refusal, finished=finished, work=work)
            problem = Problem(refusal.at, refusal.reason, refusal.other)
            return Value(start, max(m.at, refusal.at), problem=problem, damaged=True)


def _cut_behind(text: str, start: int, refusal: Refusal, *, finished: bool | None, work: Work | None) -> Refusal:
    """That the text is cut off, where it is, behind a place where something was left out."""
    m = Machine(text, start, dialect.first_dialect(text, start), GRAMMAR, finished=finished, salvage=True, work=work)
    try:
        begin(m)
        m.run()
    except Misplaced:
        pass
    except Refusal as later:
        return later if later.reason is TRUNCATED else refusal
    return refusal


def begin(m: Machine) -> None:
    """Open the outermost container."""
    kind = OPENERS[m.text[m.start]]
    m.push(kind, m.start)
    dialect.wide(m, m.start)


def _finish(m: Machine, *, as_written: bool, cut: bool = False) -> Value:
    """The value of a reading that came to its end: the edits are applied, and the strict decoder reads what comes out."""
    text, start, end = m.text, m.start, m.end
    try:
        edits = in_order(m.edits)
        further = escape_edits(text, start, end, edits, python=_is_python(m))
        if further:
            edits = in_order((*edits, *further))
        edited = EditedText(text, start, end, edits)
        decoded = decode_at(edited.text, 0, as_written=as_written)
    except Refusal as refusal:
        return Value(start, end, problem=Problem(refusal.at, refusal.reason, refusal.other), damaged=True)
    except UnreadableError as error:
        return Value(start, end, problem=error.problem, damaged=True)
    except (ValueError, RecursionError) as error:
        place = getattr(error, "pos", None)
        problem = Problem(start, NUMBER_TOO_LONG) if place is None else Problem(edited.origin(place), TWO_READINGS)
        return Value(start, end, problem=problem, damaged=True)
    moved = [Edit(edited.origin(edit.offset), *edit[1:]) for edit in decoded.edits]
    is_lossy = any(edit.kind is RepairKind.ELLIPSIS for edit in edits)
    whole = merged(edits, moved) if moved else edits
    return Value(start, end, decoded.data, whole, cut=cut or is_lossy, damaged=True, passed_over=m.passed_over)


def _is_python(m: Machine) -> bool:
    """Whether there are strings as only Python writes them."""
    return dialect.SINGLE in m.habits or any(
        edit.kind is RepairKind.PYTHON_LITERAL and edit.put == '"' for edit in m.edits
    )


def _data(m: Machine) -> Any:  # noqa: ANN401 - any JSON value
    return _finish(m, as_written=False).data


GRAMMAR = Grammar(
    {
        Place.INSIDE: dialect.pass_run,
        Place.KEY: keys.step,
        Place.VALUE: values.step,
        Place.ELEMENT: values.element_step,
        Place.AFTER: after.step,
    },
    _data,
)
