"""Validating decoded data the way its JSON is validated.

Pydantic is stricter with Python objects than with JSON, which has no dates, enums or tuples: a strict model takes
`"2024-01-05"` for a date only from JSON. So the data is written as JSON again. It stays as it is where JSON cannot say
it: Python objects that a normalizer put in, lone surrogates, nesting beyond Pydantic's bound.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from src.shared.infrastructure.written_numbers import WrittenFloat, with_written_decimals

T = TypeVar("T")

_SCALARS = frozenset({str, int, float, bool, type(None), WrittenFloat})


def validate_as_json(adapter: TypeAdapter[T], data: Any, *, decimals: bool) -> T:  # noqa: ANN401 - decoded JSON
    """The object made of decoded data.

    Args:
        adapter: what validates.
        data: what a decoder or a normalizer returned.
        decimals: whether the type has a `Decimal` somewhere, so that its digits must be looked for.

    Raises:
        ValidationError: the data does not satisfy the type.
        Exception: whatever a validator of the type raises.
    """
    text = _written(data)
    if text is None:
        return adapter.validate_python(data)
    if decimals:
        try:
            text = json.dumps(with_written_decimals(adapter, data))
        except Exception:  # noqa: BLE001 - a validator fails on a text in place of a number: then as Python objects
            return adapter.validate_python(data)
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        if not is_no_json(error):
            raise
        return adapter.validate_python(data)


def is_no_json(error: ValidationError) -> bool:
    """Whether Pydantic could not read the text as JSON at all."""
    return error.errors(include_url=False, include_input=False, include_context=False)[0]["type"] == "json_invalid"


def _written(data: object) -> str | None:
    """The data as JSON; None where that would say something else."""
    try:
        text = json.dumps(data)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if _is_json(data) else None


def _is_json(data: object) -> bool:
    """Whether data is what a decoder could have returned: a tuple or a key that is a number could not."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if type(value) is list:
            waiting.extend(value)
        elif type(value) is dict:
            if not all(type(key) is str for key in value):
                return False
            waiting.extend(value.values())
        elif type(value) not in _SCALARS:
            return False
    return True
