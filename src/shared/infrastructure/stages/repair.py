"""Stage 7: what the tolerant reader makes of damaged candidates."""

from __future__ import annotations

from dataclasses import replace

from src.shared.infrastructure.choice import choose
from src.shared.infrastructure.state import ParseState


def repair(state: ParseState) -> ParseState:
    """Decode the damaged candidates, and choose among all."""
    return choose(replace(state, values=tuple(state.scanner.decoded(value) for value in state.values)), "repair")
