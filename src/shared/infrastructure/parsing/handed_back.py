"""Tells a JSON Schema that a model handed back from an answer: its keys may be fields of the type, too.

`{"properties": {…}, "title": "Task", "type": "object"}` has the field `title` of a task, and says nothing of any. It
counts only where every field of the type that it has is also a keyword, and `properties`, or what else makes it a
schema, is no field: a type may ask for a schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

KEYWORDS = frozenset(
    """
    $anchor $comment $id $ref allOf anyOf const default description enum example examples format items maximum minimum
    oneOf pattern required title type
    """.split()
)
"""Keys of a schema that fields are called, too."""
_AROUND = frozenset("description id name strict type".split())
"""The same of what wraps a schema in a request."""
_WRAPPING = ("schema", "json_schema", "input_schema", "inputSchema", "parameters", "function")
"""Keys under which a request to a model has the schema."""
_SIGNS = ("properties", "$ref", "items", "enum", "anyOf", "oneOf", "allOf")
_PART_SIGNS = frozenset({"type", *_SIGNS, "const"})
_TYPES = frozenset("object array string number integer boolean null".split())


def may_be_schema(fields: AbstractSet[str], text: str) -> bool:
    """Whether a JSON text may be a schema, or what wraps one: if all the fields that are set are called so, too."""
    return (fields <= KEYWORDS or fields <= _AROUND) and any(f'"{sign}"' in text for sign in _SIGNS)


def is_schema(data: object, own: AbstractSet[str] = frozenset(), *, layers: int = 2) -> bool:
    """Whether an object is a schema, perhaps with data in its `properties`, or wraps one that has a field of the type.

    Args:
        data: any JSON value.
        own: the type's fields.
        layers: most keys around a schema.
    """
    if not isinstance(data, dict):
        return False
    foreign = {key: value for key, value in data.items() if key not in own}
    fields = own & data.keys()
    if layers and fields <= _AROUND:
        wrapped = [foreign[key] for key in _WRAPPING if is_schema(foreign.get(key), layers=layers - 1)]
        if wrapped and (not own or not own.isdisjoint(_described_by(wrapped[0], layers))):
            return True
    return fields <= KEYWORDS and _is_schema(data, foreign)


def _described_by(data: Mapping[str, Any], layers: int) -> AbstractSet[str]:
    """The names that a schema, or one that it wraps, has in its `properties`."""
    inner = [data[key] for key in _WRAPPING if isinstance(data.get(key), dict)] if layers else []
    properties = data.get("properties")
    if isinstance(properties, dict) or not inner:
        return properties.keys() if isinstance(properties, dict) else frozenset()
    return _described_by(inner[0], layers - 1)


def _is_schema(data: Mapping[str, object], foreign: Mapping[str, object]) -> bool:
    """Whether an object is a schema itself, for its keys that are no fields."""
    properties = foreign.get("properties")
    if isinstance(properties, dict):
        is_told = _names(data.get("type")) or any(key in data for key in ("required", "$defs", "additionalProperties"))
        return is_told or (bool(properties) and all(map(_is_part, properties.values())))
    choices = (foreign.get(key) for key in ("anyOf", "oneOf", "allOf"))
    return (
        (_names(data.get("type"), "array") and _is_part(foreign.get("items")))
        or (_names(data.get("type"), *_TYPES) and isinstance(foreign.get("enum"), list))
        or (isinstance(foreign.get("$ref"), str) and isinstance(foreign.get("$defs"), dict))
        or any(isinstance(choice, list) and choice and all(map(_is_part, choice)) for choice in choices)
    )


def is_filled_schema(data: object) -> bool:
    """Whether an object is a schema with data in its `properties`, and not their schemas."""
    if not is_schema(data) or not isinstance(data, dict):
        return False
    properties = data.get("properties")
    return isinstance(properties, dict) and not any(map(_is_part, properties.values()))


def _names(said: object, *names: str) -> bool:
    """Whether the `type` of a schema is one of these: an object's where none is named."""
    types = said if isinstance(said, list) else [said]
    return any(isinstance(one, str) and one.lower() in (names or ("object",)) for one in types)


def _is_part(data: object) -> bool:
    """Whether something looks like the schema of one value."""
    return isinstance(data, Mapping) and not _PART_SIGNS.isdisjoint(data)
