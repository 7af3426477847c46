"""Stage 7: read damaged candidates with the tolerant reader."""

from __future__ import annotations

from src.shared.infrastructure.parsing.candidates.choice import choose
from src.shared.infrastructure.parsing.state import ParseState, changed


def repair(state: ParseState) -> ParseState:
    """Decode the damaged candidates, and choose among all."""
    return choose(changed(state, values=tuple(state.scanner.decoded(value) for value in state.values)), "repair")
