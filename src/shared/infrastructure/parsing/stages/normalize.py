"""Stage 9: run the caller's hooks."""

from __future__ import annotations

from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.parsing.fast.plain import decoded
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
        raise normalizer_failed(error.name, error.problem, _as_decoded(state), state.raw) from error.__cause__
    return changed(state, data=data)


def _as_decoded(state: ParseState) -> Any:  # noqa: ANN401 - decoded JSON
    """The data before any hook changed it, decoded once more: a copy made beforehand would cost every text."""
    try:
        return decoded(state.raw, state.target).data
    except LLMJsonParseError:  # the hooks do not do the same twice, and choose another object
        return state.data
