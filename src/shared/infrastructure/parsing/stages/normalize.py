"""Stage 9: run the caller's hooks."""

from __future__ import annotations

from src.shared.infrastructure.parsing.parse_errors import normalizer_failed
from src.shared.infrastructure.parsing.state import ParseState, changed
from src.shared.infrastructure.parsing.type_check import NormalizerError, normalized


def normalize(state: ParseState) -> ParseState:
    """Run the hooks in order on the decoded data."""
    if not state.target.normalizers:
        return state
    try:
        data = normalized(state.data, state.target.normalizers, state.target.roots)
    except NormalizerError as error:
        raise normalizer_failed(error.name, error.problem, state.data, state.raw) from error.__cause__
    return changed(state, data=data)
