"""Stage 4: read raw control characters inside strings as their escapes."""

from __future__ import annotations

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.candidates.sole_value import sole_value
from src.shared.infrastructure.parsing.state import ParseState


def control_chars(state: ParseState) -> ParseState:
    """Decode the one text that is left if all that keeps it from being JSON is control characters inside strings."""
    value = sole_value(state)
    if value and any(edit.kind is RepairKind.CONTROL_CHARACTER for edit in value.edits):
        return state.with_value(value, "control_chars")
    return state
