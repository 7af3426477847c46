"""Stage 5: decode the remaining text, unchanged, with the standard decoder."""

from __future__ import annotations

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.candidates.sole_value import sole_value
from src.shared.infrastructure.parsing.state import ParseState


def strict(state: ParseState) -> ParseState:
    """Decode the one text that is left if it is one JSON value and nothing else."""
    value = sole_value(state)
    if value is None or any(edit.kind is RepairKind.CONTROL_CHARACTER for edit in value.edits):
        return state
    return state.with_value(value, "strict")
