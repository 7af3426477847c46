"""Reads the remaining text if it is one span with one JSON value and nothing else."""

from __future__ import annotations

from src.shared.domain.reading.layers import bracket_of_escaped
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.strict_json import decode_at
from src.shared.infrastructure.parsing.candidates.headings import Heading, heading_of
from src.shared.infrastructure.parsing.notes import Span
from src.shared.infrastructure.parsing.state import ParseState

_WHITE_SPACE = " \t\n\r"
_SCALAR_STARTS = frozenset('"-0123456789tfnNI')


def sole_span(state: ParseState) -> Span | None:
    """The only span, without the white space around it; None if there are several, or something competes with it."""
    if len(state.spans) != 1 or state.outside or state.rival is not None:
        return None
    start, end = state.spans[0]
    text = state.text
    inside = text[start:end].lstrip(_WHITE_SPACE)
    return Span(end - len(inside), end - len(inside) + len(inside.rstrip(_WHITE_SPACE)))


def sole_value(state: ParseState) -> Value | None:
    """The undamaged JSON value that fills that span; None if it does not."""
    span = sole_span(state)
    if span is None:
        return None
    start, end = span
    text = state.text
    if heading_of(text, start) is Heading.SHOWN:
        return None
    first = text[start : start + 1]
    value = state.scanner.strict_at(start) if first in {"{", "["} else _scalar(text, start, first)
    return value if value and value.end == end else None


def escaped_sole_value(state: ParseState) -> Value | None:
    """The object whose text, written as the inside of a string, fills that span; None if it does not."""
    span = sole_span(state)
    bracket = bracket_of_escaped(state.text, span.start) if span else -1
    value = state.scanner.value_at(bracket) if bracket >= 0 else None
    return value if value and value.problem is None and (value.start, value.end) == span else None


def _scalar(text: str, start: int, first: str) -> Value | None:
    if first not in _SCALAR_STARTS or bracket_of_escaped(text, start) >= 0:
        return None
    try:
        data, end, _ = decode_at(text, start)
    except ValueError:
        return None
    return Value(start, end, data)
