"""Stage 10: the type."""

from __future__ import annotations

from pydantic import ValidationError

from src.shared.infrastructure.parsing.parse_errors import broken_contract
from src.shared.infrastructure.parsing.state import ParseState, changed


def validate(state: ParseState) -> ParseState:
    """Validate the data; a caller that named no type gets it as it is."""
    dto_type = state.target.dto_type
    if dto_type is None:
        return state
    try:
        result = dto_type.validate(state.data, hooked=bool(state.target.normalizers))
    except ValidationError as error:
        raise broken_contract(error, dto_type.name, state.data, state.raw, state.repair_kinds) from error
    return changed(state, result=result)
