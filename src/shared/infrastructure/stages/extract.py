"""Stage 6: the object in prose; with several of them, the one that satisfies the DTO."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.choice import MAX_CANDIDATES, choose, no_object
from src.shared.infrastructure.focus import escaped_focus
from src.shared.infrastructure.scanner import Value
from src.shared.infrastructure.state import Note, ParseState, Span

_CODE_BEFORE = frozenset("(=,")
_BARE = frozenset({RepairKind.UNQUOTED_KEY, RepairKind.UNQUOTED_VALUE})


def extract(state: ParseState) -> ParseState:
    """Find the candidates, and choose among them unless one is damaged: that is the next stage's."""
    escaped = escaped_focus(state)
    if escaped:
        return replace(state, values=(escaped,), notes=(*state.notes, _note(escaped)))
    found = (value for span in state.spans for value in state.scanner.values(*span))
    could_answer = (value for value in found if _could_answer(value, state) and not _is_code(value, state))
    values = tuple(islice(_to_unreadable(could_answer), MAX_CANDIDATES + 1))
    if not values:
        raise no_object(state)
    notes = (*state.notes, *(_note(value) for value in values))
    state = replace(state, values=values, notes=notes)
    if any(value.damaged for value in values):
        return state
    return choose(state, "extract")


def _to_unreadable(values: Iterable[Value]) -> Iterator[Value]:
    """The values up to the first that cannot be read: whatever comes after it, that is an error."""
    for value in values:
        yield value
        if value.problem:
            return


def _note(value: Value) -> Note:
    return Note("extract", "recognised", Span(value.start, value.end))


def _could_answer(value: Value, state: ParseState) -> bool:
    """Whether a value is an object, a list of objects, or damaged; another list counts where one is asked for."""
    if not isinstance(value.data, list) or "array" in state.target.roots:
        return True
    return any(isinstance(item, dict) for item in value.data)


def _is_code(value: Value, state: ParseState) -> bool:
    """Whether what looks like a damaged object is code: in a block of it, or bare names as an argument."""
    if not value.damaged:
        return False
    before = state.text[max(0, value.start - 1) : value.start]
    return any(start <= value.start < end for start, end in state.code) or (
        before in _CODE_BEFORE and any(edit.kind in _BARE for edit in value.edits)
    )
