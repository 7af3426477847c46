"""The unified parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from src.shared.domain.exceptions import LLMJsonParseError

T = TypeVar("T", bound=BaseModel)


def parse_llm_json_output(
    raw: str | None,
    dto_type: type[T],
    *,
    normalizers: Sequence[Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
    context_label: str = "",
) -> T:
    """TEMPORARY strict-only body; the real pipeline replaces it."""
    import json

    try:
        data = json.loads((raw or "").strip().removeprefix("```json").removesuffix("```"))
        for n in normalizers or ():
            data = n(data)
        return dto_type.model_validate(data)
    except ValidationError as e:
        raise LLMJsonParseError(
            f"不符合契约 {context_label}",
            {"stage": "validate", "raw_length": len(raw or ""),
             "validation_errors": e.errors(include_url=False, include_input=False, include_context=False)},
        ) from e
    except Exception as e:
        raise LLMJsonParseError("不是合法 JSON", {"stage": "strict", "raw_length": len(raw or "")}) from e
