"""Stage 6: the object in prose; with several of them, the one that satisfies the DTO."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from src.shared.infrastructure.choice import MAX_CANDIDATES, choose, no_object
from src.shared.infrastructure.scanner import Value
from src.shared.infrastructure.state import Note, ParseState, Span


def extract(state: ParseState) -> ParseState:
    """Find the candidates, and choose among them unless one is damaged: that is the next stage's."""
    found = (value for span in state.spans for value in state.scanner.values(*span))
    values = tuple(islice(filter(_could_answer, found), MAX_CANDIDATES + 1))
    if not values:
        raise no_object(state)
    notes = (*state.notes, *(Note("extract", "recognised", Span(value.start, value.end)) for value in values))
    state = replace(state, values=values, notes=notes)
    if any(value.damaged for value in values):
        return state
    return choose(state, "extract")


def _could_answer(value: Value) -> bool:
    """Whether a value is an object, a list of objects, or damaged; a list of plain values is a remark in prose."""
    return not isinstance(value.data, list) or any(isinstance(item, dict) for item in value.data)
