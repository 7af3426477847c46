"""Stage 8: refuse a root that the type is not read from: an object, an array, or either."""

from __future__ import annotations

from src.shared.infrastructure.parsing.parse_errors import wrong_root
from src.shared.infrastructure.parsing.state import ParseState


def root(state: ParseState) -> ParseState:
    """Refuse another root, and a scalar in any case."""
    if not state.target.accepts_root(state.data):
        raise wrong_root(state.data, state.raw, state.repair_kinds, state.target.accepted_roots)
    return state
