"""Stage 8: the root must be an object."""

from __future__ import annotations

from src.shared.infrastructure.errors import wrong_root
from src.shared.infrastructure.state import ParseState


def root(state: ParseState) -> ParseState:
    """Refuse a root that is an array or a scalar."""
    if not isinstance(state.data, dict):
        raise wrong_root(state.data, state.raw, state.repair_kinds)
    return state
