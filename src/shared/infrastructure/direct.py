"""The short way for clean text and for regular damage: Pydantic reads the JSON itself.

Taken only where it gives what the long way would give. Pydantic validates JSON a little differently from Python
objects (strict types, unions, decimals), so a DTO must be made of parts for which the two are the same; and a text
this way refuses goes the long way, which knows what to say about it. A text that is not JSON is patched where the
patches prove themselves (`patches.py`).

What this way does not see is a key that stands twice, and NaN: the value is the same as the long way's (the last key
wins), but only the long way (`parse_llm_json_output_with_trace`, `decode_llm_json`) names them. One difference is left:
an integer of more than 308 digits in a field of plain floats is infinite this way, as `1e400` is on both, and refused
the long way; looking for one would cost more than reading the text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from src.shared.infrastructure.patches import Kinds, Patching
from src.shared.infrastructure.wrapping import unwrapped

T = TypeVar("T", bound=BaseModel)

_SAME_IN_BOTH = frozenset(
    {
        *("any", "bool", "default", "definition-ref", "definitions", "dict", "float", "int", "list", "literal"),
        *("model", "model-field", "model-fields", "none", "nullable", "str"),
        *("function-after", "function-before", "function-plain", "function-wrap"),
    }
)
_NOT_SCHEMAS = frozenset({"metadata", "serialization", "default", "expected", "ref", "cls", "generic_origin"})


class Direct(NamedTuple, Generic[T]):
    """A validated object, and how often which repair was made on the way to it."""

    value: T
    kinds: Kinds


_UNREPAIRED: Kinds = Kinds()


def validate_directly(raw: str, dto_type: type[T]) -> Direct[T] | None:
    """The validated object if the text is clean JSON for it or can be patched; None if the long way must decide."""
    text = raw if raw[:1] == "{" and raw[-1:] == "}" else unwrapped(raw)
    if text is None or not is_same_in_both(dto_type):
        return None
    validate: Callable[[str], T] = dto_type.__pydantic_validator__.validate_json
    try:
        try:
            return Direct(validate(text), _UNREPAIRED)
        except ValidationError as error:
            return _validate_patched(validate, text, _refusal(error))
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return None


def _validate_patched(validate: Callable[[str], T], text: str, refusal: str) -> Direct[T] | None:
    patching = Patching(text)
    while patching.undo(refusal):
        try:
            return Direct(validate(patching.text), patching.kinds)
        except ValidationError as error:
            refusal = _refusal(error)
    return None


def _refusal(error: ValidationError) -> str:
    """What the decoder met that is not JSON; nothing where the text is JSON and the DTO refused the value."""
    if error.error_count() > 1:
        return ""  # what is not JSON is one error
    first = error.errors(include_url=False, include_input=False)[0]
    return str(first["ctx"]["error"]) if first["type"] == "json_invalid" else ""


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
        or part.get("coerce_numbers_to_str")
        or part.get("custom_init")
        or (isinstance(kind, str) and kind not in _SAME_IN_BOTH | {"no-info"})
    ):
        return False
    if kind == "literal":
        return all(isinstance(expected, str) for expected in part["expected"])
    return all(_same(value) for key, value in part.items() if key not in _NOT_SCHEMAS)
