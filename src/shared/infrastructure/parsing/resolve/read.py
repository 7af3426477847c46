"""Returns the nearest reading of a damaged value if it is the only one, or the only one that fits the type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from src.shared.domain.notation import OPENERS
from src.shared.domain.parse_reasons import NUMBER_TOO_LONG, TOO_DAMAGED, TOO_DEEP, TRUNCATED, TWO_READINGS
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.budget import STEP, Work
from src.shared.infrastructure.parsing.reader.edits import Edit, EditedText
from src.shared.infrastructure.parsing.reader.patterns import CLEAN_STRING
from src.shared.infrastructure.parsing.reader.problem import Problem, UnreadableError
from src.shared.infrastructure.parsing.reader.string_text import Marks, string_edits
from src.shared.infrastructure.parsing.resolve.reasons import ELISION, is_of_structure
from src.shared.infrastructure.parsing.resolve.rules import follow
from src.shared.infrastructure.parsing.resolve.salvage import salvaged
from src.shared.infrastructure.parsing.resolve.search import Asked, Search, Whole, ways
from src.shared.infrastructure.parsing.resolve.states import Place, State, Step, Text
from src.shared.infrastructure.parsing.strict_json import decode_at

_BRACKETS = frozenset({RepairKind.MISSING_BRACKET, RepairKind.SURPLUS_BRACKET})
_NO_STRUCTURE = frozenset(
    {
        *(RepairKind.COMMENT, RepairKind.INVISIBLE_CHARACTER, RepairKind.TRAILING_COMMA, RepairKind.NUMBER_SPELLING),
        *(RepairKind.PYTHON_LITERAL, RepairKind.JAVASCRIPT_LITERAL, RepairKind.FULL_WIDTH_PUNCTUATION),
    }
)
MOST_READINGS = 64
"""Most readings of the same cost whose values are compared."""
MOST_FITTED = 8
"""Most different values of which it is asked which one the type fits."""
EDIT_COST = 4 * STEP
"""Units of work to look at a backslash or a quote in a string that was mended, and to undo it."""


class Reading(NamedTuple):
    """What a value was read as, from `start` on.

    With no `problem`, `text[start:end]` with the `edits` applied is strict JSON (raw control characters apart).
    With one, `end` is where it gave up; with `cut`, the edits keep the members that were complete; with `by_type`, it
    is the only one of several that the type fits.
    """

    start: int
    end: int
    edits: list[Edit]
    problem: Problem | None = None
    cut: bool = False
    by_type: bool = False


class _Value(NamedTuple):
    """One value that a reading comes to, also as JSON, with its end and its edits."""

    json: str
    data: object
    end: int
    edits: list[Edit]
    is_elided: bool


def read(text: str, start: int, work: Work, asked: Asked = Asked()) -> Reading:  # noqa: B008 - a tuple
    """Read the container that opens at `start`.

    Args:
        text: the text it stands in.
        start: offset of its opening bracket.
        work: what reading it may cost.
        asked: what is known of the text.
    """
    settled = _settled(text, start, work, asked)
    if settled:
        return settled
    search = Search(text, start, work, asked)
    _run(search)
    if any(_mends_brackets(whole) for whole in search.nearest()):
        search = Search(text, start, work, asked, bound=search.bound)
        _run(search)
    is_too_deep = search.failure.reason is TOO_DEEP
    if search.is_exhausted or is_too_deep:
        return _refused(start, search.failure.at, Problem(search.failure.at, TOO_DEEP if is_too_deep else TOO_DAMAGED))
    nearest = search.nearest()
    if search.is_cut and search.cut and asked.salvage:
        steps = salvaged(text, search.cut[1])
        nearest = [Whole(0, len(text), steps)] if steps else []
    if nearest:
        return _agreed(search, nearest)
    at, reason, other = search.failure
    return _refused(start, at, Problem(at, TRUNCATED if search.is_cut else reason, other))


def _settled(text: str, start: int, work: Work, asked: Asked) -> Reading | None:
    """The reading whose damage was settled place by place; None if brackets or the end are in doubt."""
    search = Search(text, start, work, asked, settles=True)
    _run(search)
    if search.hopeless and search.failure.reason is not TOO_DEEP:
        return _refused(start, search.hopeless.at, Problem(*search.hopeless))
    nearest = search.nearest()
    if not nearest or search.is_exhausted or search.is_cut or any(map(_mends_brackets, nearest)):
        return None
    reading = _agreed(search, nearest)
    return reading if reading.problem is None or reading.problem.reason is TWO_READINGS else None


def _run(search: Search) -> None:
    text, start = search.text, search.start
    kind = OPENERS[text[start]]
    place = Place.FIRST_KEY if kind == "{" else Place.FIRST_ELEMENT
    state = State(start, place, search.outermost(kind))
    plain = state if text[start] == kind else state.edit(start, 1, kind, RepairKind.FULL_WIDTH_PUNCTUATION, cost=0)
    search.push(plain.but(at=start + 1))
    search.run(follow)


def _mends_brackets(whole: Whole) -> bool:
    """Whether a bracket was put or dropped: then others may be as near, however far away."""
    step = whole.steps
    while step is not None and not whole.has_rest:
        if step.edit is not None and step.edit.kind in _BRACKETS:
            return True
        step = step.before
    return whole.has_rest


def _refused(start: int, end: int, problem: Problem) -> Reading:
    return Reading(start, max(end, problem.offset), [], problem)


def _agreed(search: Search, nearest: list[Whole]) -> Reading:
    """The reading, if all that cost least have the same value."""
    start = search.start
    found: list[_Value] = []
    try:
        for value in chain.from_iterable(_values(search, whole) for whole in nearest):
            found.append(value)
            if len(found) > MOST_READINGS:
                return _refused(start, value.end, Problem(start, TWO_READINGS, value.end))
    except UnreadableError as error:
        return _refused(start, nearest[0].end, error.problem)
    if not found:
        return _refused(start, nearest[0].end, Problem(start, TWO_READINGS, nearest[0].end))
    different = {value.json: value for value in reversed(found)}
    fitting = [found[0]] if len(different) == 1 else _fitting(search, list(different.values()))
    if len(fitting) != 1:
        return _refused(start, found[0].end, Problem(start, TWO_READINGS, found[0].end))
    _, _, end, edits, is_elided = fitting[0]
    return Reading(start, end, edits, cut=search.is_cut or is_elided, by_type=len(different) > 1)


def _fitting(search: Search, values: list[_Value]) -> list[_Value]:
    """Those of a few different values that the type fits."""
    fits = search.asked.fits
    if fits is None or len(values) > MOST_FITTED:
        return []
    return [value for value in values if fits(value.data)]


def _values(search: Search, whole: Whole) -> Iterator[_Value]:
    """The values that a reading comes to.

    Raises:
        UnreadableError: something in it is a guess, or its backslashes can be read in two ways.
    """
    for steps in ways(whole.steps):
        failures = [step.failure for step in steps if step.failure]
        if all(map(_keeps_structure, steps)):
            failures = [failure for failure in failures if not is_of_structure(failure.reason)]
        forgiven = search.asked.salvage and all(failure.reason is ELISION for failure in failures)
        if failures and not forgiven and not _is_json(search.text, search.start, whole.end):
            raise UnreadableError(*next((one for one in failures if one.other is not None), failures[0]))
        most = (_edits_most(search.text, step.text.first, step.end) for step in steps if step.text)
        search.spend(EDIT_COST * sum(most))
        if search.is_exhausted:
            raise UnreadableError(search.start, TOO_DAMAGED)
        edits = _edits(search.text, steps, latex=search.asked.latex)
        try:
            data = decode_at(EditedText(search.text, search.start, whole.end, edits).text, 0).data
        except (ValueError, RecursionError) as error:
            if not hasattr(error, "pos"):  # the decoder read it, and Python refuses to make the number
                raise UnreadableError(search.start, NUMBER_TOO_LONG) from error
            continue
        yield _Value(json.dumps(data), data, whole.end, edits, bool(failures))


def _keeps_structure(step: Step) -> bool:
    """Whether a step puts and drops neither a bracket nor a quote."""
    is_kept = step.edit is None or step.edit.kind in _NO_STRUCTURE
    return is_kept and (step.text is None or (step.text.inner is None and step.closing == 1))


def _is_json(text: str, start: int, end: int) -> bool:
    """Whether a value is JSON as it stands: then nothing in it is a guess."""
    try:
        return decode_at(text, start).end == end
    except (ValueError, RecursionError):
        return False


def _edits_most(raw: str, start: int, end: int) -> int:
    """How many edits a string may take."""
    return raw.count("\\", start, end) + raw.count('"', start, end)


def _edits(raw: str, steps: list[Step], *, latex: bool) -> list[Edit]:
    python = any(step.text and (step.text.quote == "'" or step.closing < 0) for step in steps)
    edits: list[Edit] = []
    for step in steps:
        edits += [step.edit] if step.edit else []
        if step.text:
            edits += _string_edits(raw, step, step.text, latex=latex, python=python)
    return sorted(edits, key=itemgetter(0, 1))


def _string_edits(raw: str, step: Step, text: Text, *, latex: bool, python: bool) -> list[Edit]:
    """The edits of one string: its quotes, and what is inside. Undamaged, it has none, whatever its escapes say."""
    start = text.first - 1
    if (
        step.closing == 1
        and not (latex and "\\" in raw[start : step.end])
        and CLEAN_STRING.fullmatch(raw, start, step.end + 1)
    ):
        return []
    edits = string_edits(raw, start, step.end, _marks(text), latex=latex, python=python)
    edits = [_as_text(edit) if edit.kind is RepairKind.STRAY_QUOTE else edit for edit in edits]
    if step.closing < 0 or not text.quote:
        edits = [edit for edit in edits if edit.offset > start]
    if step.closing < 0:
        return [*edits, Edit(step.end, -step.closing, '"')]
    if text.quote in {"", '"'} or not step.closing:
        return edits
    if len(edits) == 1:
        return [Edit(start, step.end + 1 - start, f'"{raw[text.first : step.end]}"', edits[0].kind)]
    return [*edits, Edit(step.end, 1, '"')]


def _as_text(edit: Edit) -> Edit:
    """A doubled quote that is taken for text; whether it is stray is a reading of its own."""
    return Edit(edit.offset, 0, "\\", RepairKind.UNESCAPED_QUOTE)


def _marks(text: Text) -> Marks:
    inner: list[int] = []
    joints: list[tuple[int, int]] = []
    at, joint = text.inner, text.joints
    while at is not None:
        inner.append(at.at)
        at = at.before
    while joint is not None:
        joints.append((joint.start, joint.end))
        joint = joint.before
    return Marks(inner[::-1], joints[::-1])
