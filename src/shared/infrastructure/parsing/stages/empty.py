"""Stage 1: refuse an empty text with an error of its own."""

from __future__ import annotations

from src.shared.infrastructure.parsing.parse_errors import EMPTY, parse_error
from src.shared.infrastructure.parsing.state import ParseState

_NOTHING = " \t\n\r\v\f\u00a0\u2028\u2029\u3000\ufeff\u200b\u200c\u200d\u2060\x00"


def empty(state: ParseState) -> ParseState:
    """Refuse a text of white space, invisible characters and NULs only."""
    if not state.raw.strip(_NOTHING) or state.raw.isspace():
        raise parse_error(EMPTY, "empty", state.raw, json_error="empty")
    return state
