"""Stage 6: find the objects in prose and choose the one that is the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from src.shared.infrastructure.parsing.candidates.choice import choose, no_object
from src.shared.infrastructure.parsing.candidates.eligible import MAX_CANDIDATES, could_answer, is_code
from src.shared.infrastructure.parsing.candidates.sole_value import escaped_sole_value, sole_span
from src.shared.infrastructure.parsing.candidates.unopened import unopened_sole_value
from src.shared.infrastructure.parsing.notes import Note, Span
from src.shared.infrastructure.parsing.scanner import ValueScanner
from src.shared.infrastructure.parsing.state import ParseState, changed
from src.shared.infrastructure.parsing.values import Value

_LIST_STARTS = frozenset("[［")


def extract(state: ParseState) -> ParseState:
    """Find the candidates, and choose among them unless one is damaged: that is the next stage's."""
    whole = escaped_sole_value(state) or unopened_sole_value(state)
    if whole:
        return changed(state, values=(whole,), notes=(*state.notes, _note(whole)))
    found = (value for span in state.spans for value in state.scanner.values(*span))
    roots = state.target.roots
    candidates = (value for value in found if could_answer(value, roots) and not is_code(value, state.text, state.code))
    values = tuple(islice(_to_unreadable(candidates), MAX_CANDIDATES + 1))
    if not values:
        return _in_list_brackets(state)
    notes = (*state.notes, *(_note(value) for value in values))
    state = changed(
        state, values=values, notes=notes, rival=_unread_block(state) if state.rival is None else state.rival
    )
    if any(value.damaged for value in values):
        return state
    return choose(state, "extract")


def _in_list_brackets(state: ParseState) -> ParseState:
    """The damaged list that is all there is, or the object whose brace became a bracket: in prose both are passed over.

    Raises:
        LLMJsonParseError: there is neither.
    """
    span = sole_span(state)
    if span and state.text[span.start : span.start + 1] in _LIST_STARTS:
        value = state.target.scanner(state.text, state.scanner.work, lists=True).value_at(span.start)
        if value and value.problem is None and (value.start, value.end) == span:
            return changed(state, values=(value,), notes=(*state.notes, _note(value)))
    raise no_object(state)


def _unread_block(state: ParseState) -> int | None:
    """Where a fenced block opens in which nothing could be recognised."""
    if state.spans == (Span(0, len(state.text)),):
        return None
    unread = (start for start, end in state.spans if not _holds_value(state.scanner, start, end))
    return next(unread, None)


def _holds_value(scanner: ValueScanner, start: int, end: int) -> bool:
    return scanner.strict_at(start) is not None or any(True for _ in scanner.values(start, end))


def _to_unreadable(values: Iterable[Value]) -> Iterator[Value]:
    """The values up to the first that cannot be read: whatever comes after it, that is an error."""
    for value in values:
        yield value
        if value.problem:
            return


def _note(value: Value) -> Note:
    return Note("extract", "recognised", Span(value.start, value.end))
