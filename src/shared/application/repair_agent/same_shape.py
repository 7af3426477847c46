"""Whether a repaired text says what the damaged one says: no more, no less, nothing else.

`first_difference` compares an answer with a damaged *text*, `is_same_shape` two decoded values, as the specification's
`isSameShape` does.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from src.shared.application.repair_agent import marks
from src.shared.application.repair_agent.alignment import Alignment, DifferentError, Taken
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


def _type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def first_difference(damaged: str, answer: dict[str, Any], *, finished: bool = False) -> Difference | None:
    """The first place where an answer departs from the damaged text in more than syntax; None if nowhere.

    The answer must be what the text from its first opening brace on says: the same names, strings, numbers and
    literals, in the same order, on the same levels, character by character once escapes are resolved. Around it there
    may be prose, a fence and reasoning, but no second piece of JSON. Where the comparison cannot be sure, there is a
    difference.

    Args:
        damaged: the text, as long as you like: time and memory are linear in both lengths.
        answer: as `strict_object` decodes it, its numbers as they are spelled.
        finished: whether the text is known to be whole, so that brackets missing at its very end were forgotten.
    """
    steps = Steps(answer)
    start = marks.object_start(damaged)
    alignment = Alignment(damaged, max(start, 0), finished)
    step = None
    try:
        _check_before(damaged, start)
        for step in steps:
            alignment.take(step)
        _check_after(alignment)
        _check_strings(alignment, start)
    except DifferentError as error:
        kind = _renamed(alignment, steps, step) if error.kind is _CHANGED and _is_name(step) else error.kind
        if alignment.unclosed:
            return _difference(DifferenceKind.LOST, alignment.unclosed_at, damaged, steps, None)
        return _difference(kind, error.at, damaged, steps, step)
    return None


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
