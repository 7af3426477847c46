"""What the parser's tests ask of it again and again: the value, the kinds of repair, the refusal."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.rules import Normalizer
from src.shared.domain.type_shapes import Roots
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output


class Score(BaseModel):
    """The smallest useful target: one required number, and nothing another object would have by chance."""

    score: int


def value_of(raw: str, *, salvage: bool = False) -> dict[str, Any]:
    """Decode a text that must be readable."""
    data: dict[str, Any] = decode_llm_json(raw, salvage=salvage).data
    return data


def refusal_of(
    raw: str | None, *, finished: bool | None = None, salvage: bool = False, root: Roots | None = None
) -> LLMJsonParseError:
    """Decode a text that must be refused, and return the error."""
    with pytest.raises(LLMJsonParseError) as caught:
        decode_llm_json(raw, finished=finished, salvage=salvage, root=root)
    return caught.value


def refusal_by(dto_type: type[BaseModel], raw: str, *normalizers: Normalizer) -> LLMJsonParseError:
    """Parse a text that must be refused for this type, and return the error."""
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, dto_type, normalizers=normalizers)
    return caught.value


def why_and_where(error: LLMJsonParseError) -> tuple[str | None, int | None]:
    """Say why a text is refused and at which of its offsets; None for what the error does not tell."""
    place = error.details.get("position")
    return error.details.get("json_error"), place and place["offset"]


def position(raw: str, offset: int) -> dict[str, int]:
    """Work out the position an error must give for an offset."""
    before = raw[:offset].split("\n")
    return {"line": len(before), "column": len(before[-1]) + 1, "offset": offset}
