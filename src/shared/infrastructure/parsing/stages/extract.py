"""Stage 6: find the objects in prose and choose the one that is the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.infrastructure.parsing.candidates.choice import choose, no_object
from src.shared.infrastructure.parsing.candidates.eligible import MAX_CANDIDATES, could_answer, is_code
from src.shared.infrastructure.parsing.candidates.sole_value import escaped_sole_value
from src.shared.infrastructure.parsing.candidates.unopened import unopened_sole_value
from src.shared.infrastructure.parsing.notes import Note, Span
from src.shared.infrastructure.parsing.state import ParseState, changed

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
    """The list of plain values that is all there is, or the object whose brace became a bracket.

    In prose both are passed over.

    Raises:
        LLMJsonParseError: there is neither.
    """
    value = _list_at_start(state)
    if value is None:
        raise no_object(state)
    return changed(state, values=(value,), notes=(*state.notes, _note(value)))


def _list_at_start(state: ParseState) -> Value | None:
    """The list that fills the first span, white space apart, or is cut off at its end."""
    start, end = state.spans[0]
    start += len(state.text[start:end]) - len(state.text[start:end].lstrip())
    if len(state.spans) > 1 or state.rival is not None or state.text[start : start + 1] not in _LIST_STARTS:
        return None
    value = state.target.scanner(state.text, state.scanner.work, lists=True).value_at(start)
    if value and (value.problem.truncated if value.problem else not state.text[value.end : end].strip()):
        return value
    return None


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
