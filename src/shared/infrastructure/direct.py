"""The short way for clean text: Pydantic reads the JSON itself, without a Python object in between.

Taken only where it gives what the long way would give. Pydantic validates JSON a little differently from Python
objects (strict types, unions, decimals), so a DTO must be made of parts for which the two are the same; and a text
this way refuses goes the long way, which knows what to say about it.

What this way does not see is a key that stands twice, and NaN: the value is the same as the long way's (the last key
wins), but only the long way (`parse_llm_json_output_with_trace`, `decode_llm_json`) names them. One difference is left:
an integer of more than 308 digits in a field of plain floats is infinite this way, as `1e400` is on both, and refused
the long way; looking for one would cost more than reading the text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

_SAME_IN_BOTH = frozenset(
    {
        *("any", "bool", "default", "definition-ref", "definitions", "dict", "float", "int", "list", "literal"),
        *("model", "model-field", "model-fields", "none", "nullable", "str"),
        *("function-after", "function-before", "function-plain", "function-wrap"),
    }
)
_MARGIN = 64
"""Characters in which the opening brace must come; a text with a wider margin goes the long way."""
_NOT_SCHEMAS = frozenset({"metadata", "serialization", "default", "expected", "ref", "cls", "generic_origin"})


def validate_directly(raw: str, dto_type: type[T]) -> T | None:
    """The validated object if the text is clean JSON for it; None if the long way must decide."""
    if raw[:_MARGIN].lstrip()[:1] != "{" or not is_same_in_both(dto_type):
        return None
    try:
        result: T = dto_type.__pydantic_validator__.validate_json(raw)
    except ValidationError:
        return None
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return None
    return result


@lru_cache(maxsize=256)
def is_same_in_both(dto_type: type[BaseModel]) -> bool:
    """Whether validating JSON and validating the decoded object give the same for this DTO."""
    if not dto_type.__pydantic_complete__:
        return False
    return _same(dto_type.__pydantic_core_schema__)


def _same(part: Any) -> bool:  # noqa: ANN401 - a core schema is nested dicts and lists of anything
    if isinstance(part, (list, tuple)):
        return all(_same(item) for item in part)
    if not isinstance(part, dict):
        return True
    kind = part.get("type")
    if (
        part.get("strict")
        or part.get("custom_init")
        or (isinstance(kind, str) and kind not in _SAME_IN_BOTH | {"no-info"})
    ):
        return False
    if kind == "literal":
        return all(isinstance(expected, str) for expected in part["expected"])
    return all(_same(value) for key, value in part.items() if key not in _NOT_SCHEMAS)
