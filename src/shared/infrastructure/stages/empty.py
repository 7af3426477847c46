"""Stage 1: a text with nothing in it is an error of its own."""

from __future__ import annotations

from src.shared.infrastructure.errors import EMPTY, parse_error
from src.shared.infrastructure.state import ParseState

_NOTHING = "\ufeff\u200b\u200c\u200d\u2060\x00"


def empty(state: ParseState) -> ParseState:
    """Refuse a text of white space, invisible characters and NULs only."""
    if not state.raw.strip() or not state.raw.strip(_NOTHING).strip():
        raise parse_error(EMPTY, "empty", state.raw, json_error="empty")
    return state
