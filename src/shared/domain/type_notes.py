"""What stands behind a type in its description: the constraints of a JSON Schema in short, then the description."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

_SILENT = frozenset({"$defs", "title", "default", "description"})
_BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
_BOUNDS |= {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}  # so Pydantic writes them for a union
_COUNTS = {
    "length": ("minLength", "maxLength"),
    "items": ("minItems", "maxItems"),
    "keys": ("minProperties", "maxProperties"),
}
_LONGEST_DEFAULT = 80
"""Characters; a longer default is left out."""


def notes_of(schema: dict[str, Any], said: Collection[str]) -> list[str]:
    """List what a schema says beyond the keywords that are `said`; a keyword not known here is given as it stands."""
    rest = {key: value for key, value in schema.items() if key not in said and key not in _SILENT}
    return [*_default(schema), *_constraints(rest), *_description(schema)]


def json_text(value: object) -> str:
    """Write a value as JSON, every character as it is."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _constraints(rest: dict[str, Any]) -> Iterator[str]:
    if "format" in rest:
        yield str(rest.pop("format"))
    bounds = [f"{sign}{rest.pop(key)}" for key, sign in _BOUNDS.items() if key in rest]
    if bounds:
        yield " ".join(bounds)
    for what, (least, most) in _COUNTS.items():
        low, high = rest.pop(least, None), rest.pop(most, None)
        limits = [f"={low}"] if low == high else [f">={low}", f"<={high}"]
        if low is not None or high is not None:
            yield " ".join([what, *(limit for limit in limits if not limit.endswith("None"))])
    for key, value in rest.items():
        yield _keyword(key, value)


def _keyword(key: str, value: object) -> str:
    match key, value:
        case "pattern", str():
            return regex(value)
        case "additionalProperties", False:
            return "no other keys"
        case _, True:
            return key
    return f"{key} {json_text(value)}"


def regex(pattern: str) -> str:
    """Write a pattern between slashes, on one line."""
    return f"/{pattern}/".replace("\n", "\\n")


def _default(schema: dict[str, Any]) -> Iterator[str]:
    if "default" not in schema:
        return
    try:
        text = json.dumps(schema["default"], ensure_ascii=False, allow_nan=False)
    except ValueError:
        return
    if len(text) <= _LONGEST_DEFAULT:
        yield f"default {text}"


def _description(schema: dict[str, Any]) -> Iterator[str]:
    text = " ".join(schema.get("description", "").split())
    if text:
        yield text
