"""Stage 10: validate the data with the type."""

from __future__ import annotations

from pydantic import ValidationError

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.parsing.parse_errors import broken_contract
from src.shared.infrastructure.parsing.state import ParseState, changed


def validate(state: ParseState) -> ParseState:
    """Validate the data; a caller that named no type gets it as it is."""
    dto_type = state.target.dto_type
    if dto_type is None:
        return state
    try:
        validated = dto_type.read(state.data, hooked=bool(state.target.normalizers))
    except ValidationError as error:
        raise _refusal(error, dto_type.name, state) from error
    return changed(state, result=validated.value, coercions=validated.coercions)


def _refusal(error: ValidationError, name: str, state: ParseState) -> LLMJsonParseError:
    """What the type refuses, and its place."""
    from src.shared.infrastructure.parsing.value_places import places_of  # noqa: PLC0415 - only what is refused has them

    refusal = broken_contract(error, name, state.data, state.raw, state.repair_kinds)
    details = refusal.details
    places = places_of(state, details["validation_errors"])
    if any(places):
        details.setdefault("validation_places", places)
    return refusal
