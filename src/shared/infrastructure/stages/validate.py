"""Stage 10: the DTO."""

from __future__ import annotations

from dataclasses import replace

from pydantic.errors import PydanticUserError

from src.shared.infrastructure.errors import broken_contract
from src.shared.infrastructure.state import ParseState


def validate(state: ParseState) -> ParseState:
    """Validate the object; a caller that named no DTO gets it as it is."""
    dto_type = state.target.dto_type
    if dto_type is None:
        return state
    try:
        result = dto_type.model_validate(state.data)
    except PydanticUserError:
        raise  # the DTO itself is wrong: that is for its author
    except Exception as error:  # a validator is the caller's code: whatever it raises becomes the parser's error
        raise broken_contract(error, dto_type.__name__, state.data, state.raw, state.repair_kinds) from error
    return replace(state, result=result)
