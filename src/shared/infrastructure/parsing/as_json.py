"""Validates decoded data as JSON.

Pydantic is stricter with Python objects than with JSON, which has no dates, enums or tuples: a strict model takes
`"2024-01-05"` for a date only from JSON. So the data is written as JSON again before it is validated. If JSON cannot
express it (Python objects that a normalizer put in, lone surrogates, nesting beyond Pydantic's limit), all of it is
validated as Python objects.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json

from src.shared.infrastructure.parsing.written_numbers import with_written_decimals, written_as_json

T = TypeVar("T")


def validate_as_json(adapter: TypeAdapter[T], data: Any, *, hooked: bool, decimals: bool) -> T:  # noqa: ANN401 - decoded JSON
    """The object made of decoded data.

    Args:
        adapter: what validates.
        data: what a decoder or a normalizer returned.
        hooked: whether a normalizer returned it, so that there may be Python objects in it.
        decimals: whether the type has a `Decimal` somewhere, so that its digits must be looked for.

    Raises:
        ValidationError: the data does not satisfy the type.
        Exception: whatever a validator of the type raises.
    """
    text = _written(data, hooked=hooked)
    if text is None:
        return adapter.validate_python(data)
    if decimals:
        try:
            text = written_as_json(with_written_decimals(adapter, data))
        except Exception:  # noqa: BLE001 - a validator fails on a text in place of a number: then as Python objects
            return adapter.validate_python(data)
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        if _is_json(error):
            raise
        return adapter.validate_python(data)


def _written(data: object, *, hooked: bool) -> bytes | None:
    """The data as JSON; None if that would say something else."""
    try:
        text = written_as_json(data)
        said = not hooked or from_json(text) == data  # a date, a tuple, a key that is a number come back as others
    except (PydanticSerializationError, ValueError, RecursionError):
        return None
    return text if said else None


def _is_json(error: ValidationError) -> bool:
    """Whether Pydantic could read the text as JSON."""
    return error.errors(include_url=False, include_input=False, include_context=False)[0]["type"] != "json_invalid"
