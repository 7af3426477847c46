"""Keeps the complete members of a text that was cut off."""

from __future__ import annotations

from src.shared.domain.notation import CLOSERS
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.reader.patterns import KEY_AT
from src.shared.infrastructure.parsing.resolve.brackets import CLOSER_OF
from src.shared.infrastructure.parsing.resolve.states import State, Step, last_step


def salvaged(text: str, state: State) -> Step | None:
    """The steps that keep the complete members of every container that was open; None if there is none."""
    frame, (_, outer, _, (end, before), _) = state.frame, state.members
    if end >= 0 and _may_be_half(text, state, end):
        end = before
    while end < 0:
        if frame.parent is None or outer is None:
            return None
        frame, (_, outer, _, (end, _), _) = frame.parent, outer
    closers = CLOSER_OF[frame.kind]
    while frame.parent is not None:
        frame = frame.parent
        closers += CLOSER_OF[frame.kind]
    return Step(_before(state.steps, end), Edit(end, len(text) - end, closers, RepairKind.TRUNCATED_MEMBER))


def _before(steps: Step | None, end: int) -> Step | None:
    """The steps up to an offset."""
    while steps is not None and not _is_before(steps, end):
        steps = steps.before
    if steps is not None and steps.run is not None:
        return Step(steps.before, run=steps.run._replace(end=min(steps.run.end, end)))
    return steps


def _is_before(step: Step, end: int) -> bool:
    if step.text is not None:
        return step.text.start < end
    if step.edit is not None:
        return step.edit.offset < end
    if step.run is not None:
        return step.run.begun.at < end
    return step.failure is not None and step.failure.at < end


def _may_be_half(text: str, state: State, end: int) -> bool:
    """Whether the last complete member may be half of one.

    A scalar that touches the end may, also one in quotes: the quote may be text. So may a string with quotes inside,
    of which only a key after it would show that it is over.
    """
    if end == len(text.rstrip()):
        return text[end - 1] not in CLOSERS
    step = last_step(state)
    is_quoting = step is not None and step.text is not None and step.text.inner is not None and step.end < end
    return is_quoting and KEY_AT.search(text, end) is None
