"""The nearest reading of a damaged value, where there is only one: what the parser's own reader can be replaced by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from operator import itemgetter

from attack.nearest.rules import follow
from attack.nearest.search import Search, Whole, ways
from attack.nearest.states import Place, State, Step, Text
from src.shared.domain.notation import OPENERS
from src.shared.domain.parse_reasons import TOO_DAMAGED, TOO_DEEP, TRUNCATED
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.budget import Work
from src.shared.infrastructure.reader.containers import Reading
from src.shared.infrastructure.reader.cursor import Problem, UnreadableError
from src.shared.infrastructure.reader.edits import Edit, EditedText
from src.shared.infrastructure.reader.string_text import Marks, string_edits
from src.shared.infrastructure.reader.strings import TWO_READINGS
from src.shared.infrastructure.strict_json import decode_at

MOST_READINGS = 8
"""Most readings of the same cost whose values are compared."""


def read(
    text: str,
    start: int,
    work: Work,
    *,
    keys: frozenset[str] = frozenset(),  # noqa: ARG001 - the signature of the reader it stands in for
    latex: bool = False,
    finished: bool | None = None,
    salvage: bool = False,  # noqa: ARG001 - as above
) -> Reading:
    """Read the container that opens at `start`; see `src.shared.infrastructure.reader.containers.read`."""
    search = _searched(text, start, work, finished=bool(finished))
    nearest = search.nearest()
    if search.is_exhausted:
        reason = TOO_DEEP if search.failure.reason is TOO_DEEP else TOO_DAMAGED
        return _refused(start, search.failure.at, Problem(search.failure.at, reason))
    cut = search.cut_cost is not None and not finished and (not nearest or search.cut_cost < nearest[0].cost)
    if cut or not nearest:
        reason = TRUNCATED if cut else search.failure.reason
        return _refused(start, search.failure.at, Problem(search.failure.at, reason, search.failure.other))
    unsure = next((whole.unsure for whole in nearest if whole.unsure), None)
    if unsure:
        return _refused(start, nearest[0].end, Problem(*unsure))
    return _agreed(text, start, nearest, latex=latex)


def _searched(text: str, start: int, work: Work, *, finished: bool) -> Search:
    search = Search(text, start, work, finished=finished)
    kind = OPENERS[text[start]]
    frame = search.frame(kind, start, None)
    assert frame is not None  # noqa: S101 - one level is not too deep
    place = Place.FIRST_KEY if kind == "{" else Place.FIRST_ELEMENT
    state = State(start, place, frame)
    plain = state if text[start] == kind else state.edit(start, 1, kind, RepairKind.FULL_WIDTH_PUNCTUATION, cost=0)
    search.push(plain._replace(at=start + 1))
    search.run(follow)
    return search


def _refused(start: int, end: int, problem: Problem) -> Reading:
    return Reading(start, max(end, problem.offset), [], problem)


def _agreed(text: str, start: int, nearest: list[Whole], *, latex: bool) -> Reading:
    """The reading, if all that cost least have the same value."""
    found: list[tuple[str, int, list[Edit]]] = []
    try:
        for whole in nearest:
            found += _values(text, start, whole, latex=latex)
    except UnreadableError as error:
        return _refused(start, nearest[0].end, error.problem)
    if not found:
        return _refused(start, nearest[0].end, Problem(start, TOO_DAMAGED))
    value, end, edits = found[0]
    if any(other != value for other, _, _ in found):
        return _refused(start, end, Problem(start, TWO_READINGS, end))
    return Reading(start, end, edits)


def _values(text: str, start: int, whole: Whole, *, latex: bool) -> Iterator[tuple[str, int, list[Edit]]]:
    """The values that a reading comes to, each as JSON, with its end and its edits."""
    for steps in ways(whole.steps, MOST_READINGS):
        edits = _edits(text, steps, latex=latex)
        try:
            data = decode_at(EditedText(text, start, whole.end, edits).text, 0).data
        except (ValueError, RecursionError):
            continue
        yield json.dumps(data), whole.end, edits


def _edits(raw: str, steps: list[Step], *, latex: bool) -> list[Edit]:
    python = any(step.text and (step.text.quote == "'" or step.closing < 0) for step in steps)
    edits: list[Edit] = []
    for step in steps:
        edits += [step.edit] if step.edit else []
        if step.text:
            edits += _string_edits(raw, step, step.text, latex=latex, python=python)
    return sorted(edits, key=itemgetter(0, 1))


def _string_edits(raw: str, step: Step, text: Text, *, latex: bool, python: bool) -> list[Edit]:
    """The edits of one string: its quotes, and what is inside."""
    start = text.first - 1
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
