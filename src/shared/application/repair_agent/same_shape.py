"""Whether a repaired text says what the damaged one says: no more, no less, nothing else.

`compare` compares an answer with a damaged *text*, `is_same_shape` two decoded values, as the specification's
`isSameShape` does.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from src.shared.application.repair_agent import marks
from src.shared.application.repair_agent.alignment import Alignment, DifferentError, Taken
from src.shared.application.repair_agent.gaps import OTHER_NOTATIONS, Edit
from src.shared.application.repair_agent.steps import Step, StepKind, Steps
from src.shared.domain.difference import EXCERPT_LIMIT, PATH_LIMIT, Difference, DifferenceKind
from src.shared.domain.exceptions import json_path


def is_same_shape(before: object, after: object) -> bool:
    """Whether two decoded JSON values have the same names, the same number of members and items, the same types.

    Numbers are of one type, whole or not; true and false are of one type, and no numbers. The order of names does not
    matter, and values are not compared.

    Source: seed 004, 结构一致性检查.
    """
    pairs = [(before, after)]
    while pairs:
        one, other = pairs.pop()
        if _type_of(one) != _type_of(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += ((one[name], other[name]) for name in one)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
    return True


def is_same_value(one: object, other: object) -> bool:
    """Whether two decoded JSON values are equal, in their types and in the order of their names too."""
    pairs = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, dict) and isinstance(right, dict):
            if list(left) != list(right):
                return False
            pairs += zip(left.values(), right.values(), strict=True)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif left != right:
            return False
    return True


def _type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


class Comparison(NamedTuple):
    """What came of comparing an answer with a damaged text.

    Attributes:
        difference: the first place where the answer departs from the text in more than syntax; None if nowhere.
        mended: the damaged text without what is surplus for this answer, and the same with the quotes its bare texts
            lack: what the reader is to read, the second only where it does not understand the first.
    """

    difference: Difference | None
    mended: tuple[str, str]


def compare(damaged: str, answer: dict[str, Any], *, finished: bool = False) -> Comparison:
    """Compare an answer with the damaged text it was made from.

    The answer must be what the text from its first opening brace on says: the same names, strings, numbers and
    literals, in the same order, on the same levels, character by character once escapes are resolved. Around it there
    may be prose, a fence and reasoning, but no second piece of JSON. Where the comparison cannot be sure, there is a
    difference. That there is none does not prove the answer: the damaged text may have another reading.

    Args:
        damaged: the text, as long as you like: time and memory are linear in both lengths.
        answer: as `strict_object` decodes it, its numbers as they are spelled.
        finished: whether the text is known to be whole, so that brackets missing at its very end were forgotten.
    """
    start = marks.object_start(damaged)
    alignment = Alignment(damaged, max(start, 0), finished)
    difference = _first_difference(alignment, start, Steps(answer))
    escaped = [Edit(start - 1, start, " ")] if _is_escaped(damaged, start) else []
    edits = [*escaped, *alignment.edits]
    return Comparison(difference, (_edited(damaged, edits), _edited(damaged, [*edits, *alignment.quotes])))


def _is_escaped(damaged: str, start: int) -> bool:
    return damaged[max(start - 1, 0) : start] == "\\"


def _first_difference(alignment: Alignment, start: int, steps: Steps) -> Difference | None:
    damaged, step = alignment.text, None
    try:
        _check_before(damaged, start)
        for step in steps:
            alignment.take(step)
        _check_after(alignment)
        _check_strings(alignment, start)
        _check_notation(alignment, start)
    except DifferentError as error:
        kind = _renamed(alignment, steps, step) if error.kind is _CHANGED and _is_name(step) else error.kind
        if alignment.unclosed:
            return _difference(DifferenceKind.LOST, alignment.unclosed_at, damaged, steps, None)
        return _difference(kind, error.at, damaged, steps, step)
    return None


def _edited(text: str, edits: list[Edit]) -> str:
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.written]
        at = edit.end
    return "".join([*parts, text[at:]])


_CHANGED = DifferenceKind.VALUE_CHANGED


def _is_name(step: Step | None) -> bool:
    return step is not None and step.kind is StepKind.NAME


def _difference(kind: DifferenceKind, at: int, damaged: str, steps: Steps, step: Step | None) -> Difference:
    path = json_path(tuple(steps.loc))[:PATH_LIMIT]
    answered = step.text[:EXCERPT_LIMIT] if step and step.kind is not StepKind.CLOSE else ""
    return Difference(kind, path, at, damaged[at : at + EXCERPT_LIMIT], answered)


def _renamed(alignment: Alignment, steps: Steps, step: Step | None) -> DifferenceKind:
    """Another name stands there: the answer has a field more, a field less, or has renamed it."""
    there = marks.NAME_THERE.match(alignment.text, alignment.pos)
    if there and there["name"].strip() in steps.names:
        return DifferenceKind.ADDED
    if step and alignment.text.find(step.text, alignment.pos) >= 0:
        return DifferenceKind.LOST
    return DifferenceKind.NAME_CHANGED


def _check_before(text: str, start: int) -> None:
    """Before the object there is prose only, and not the beginning of a list."""
    before = text[marks.reasoning_end(text) : max(start, 0)].rstrip()
    if start < 0 or before.endswith(("[", "［")) or marks.NAMED.search(before):
        raise DifferentError(DifferenceKind.STRUCTURE_CHANGED, max(start, 0))


def _check_after(alignment: Alignment) -> None:
    """After the object there is prose only; brackets right behind it close what is closed already."""
    text, at = alignment.text, marks.after_closers(alignment.text, alignment.pos)
    if (
        alignment.unclosed
        or text[at : at + 1] in tuple(marks.SEPARATORS)
        or not marks.is_only_prose(text, at, len(text))
    ):
        raise DifferentError(DifferenceKind.LOST, at)


def _check_strings(alignment: Alignment, start: int) -> None:
    """Every string that is well bounded in the damaged text is one string of the answer, neither split nor joined."""
    text = alignment.text
    known = sorted((*alignment.strings, *(Taken(*comment, may_hold_strings=True) for comment in alignment.comments)))
    starts = [taken.start for taken in known]
    for begin, end in marks.well_bounded_strings(text, start, alignment.pos):
        taken = known[max(0, bisect_right(starts, begin) - 1)]
        is_it = (taken.start, taken.end) == (begin, end)
        other_quotes = taken.may_hold_strings or text[taken.start] != text[begin]
        if not (is_it or (taken.start < begin and end <= taken.end and other_quotes)):
            raise DifferentError(DifferenceKind.STRUCTURE_CHANGED, begin)


def _check_notation(alignment: Alignment, start: int) -> None:
    """Where the text was written for something else, its strings may have been too: then they have two readings."""
    found = alignment.notations | ({"\\"} if _is_escaped(alignment.text, start) else set())
    wrapped = {edit.start for edit in alignment.edits}
    for notation in found:
        for taken in alignment.strings:
            if taken.start not in wrapped and OTHER_NOTATIONS[notation].search(alignment.text, taken.start, taken.end):
                raise DifferentError(DifferenceKind.VALUE_CHANGED, taken.start)
