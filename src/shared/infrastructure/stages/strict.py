"""Stage 5: the text in focus, as it stands, by the standard decoder."""

from __future__ import annotations

from src.shared.infrastructure.focus import focused_value
from src.shared.infrastructure.state import ParseState


def strict(state: ParseState) -> ParseState:
    """Decode the text in focus if it is one JSON value and nothing else."""
    value = focused_value(state)
    return state.with_value(value, "strict") if value else state
