"""Any JSON Schema in the spelling of those that Pydantic generates, which is what a description is made from."""

from __future__ import annotations

from typing import Any

from src.shared.domain.strict_limits import DEFINITIONS

Schema = dict[str, Any]

_LISTS = ("prefixItems", "anyOf", "oneOf", "allOf")
_MAPPINGS = ("properties", "patternProperties", "$defs")
_SINGLE = ("items", "propertyNames")
_IMPLIED = {"object": "properties", "array": "items"}
"""What a schema without a type is about, by a keyword that it has."""
_NOTHING: Schema = {"not": {}}
_NOTES = ("title", "description", "default", "examples", "$defs")
_OF_THE_FILE = ("$schema", "$id", "$anchor", "$comment", "$vocabulary")
"""What says nothing about the answer."""


def as_pydantic_spells(schema: Any) -> Schema:  # noqa: ANN401 - a schema may be true or false
    """A schema with the bare names of its `$defs` as references, without `true` and `false`, each structure typed."""
    if not isinstance(schema, dict):
        return {} if schema else _NOTHING
    spelled = {key: _spelled(key, value) for key, value in schema.items() if key not in _OF_THE_FILE}
    if spelled.get("items") == _NOTHING:
        del spelled["items"]  # no items but the first ones, which is how a tuple is written anyway
    if "type" not in spelled:
        spelled |= next(({"type": kind} for kind, keyword in _IMPLIED.items() if keyword in spelled), {})
    return _one_type_a_structure(spelled)


def _spelled(keyword: str, value: Any) -> Any:  # noqa: ANN401 - whatever a keyword holds
    if keyword in _LISTS:
        return [as_pydantic_spells(inner) for inner in value]
    if keyword in _MAPPINGS:
        return {key: as_pydantic_spells(inner) for key, inner in value.items()}
    if keyword in _SINGLE or (keyword == "additionalProperties" and isinstance(value, dict)):
        return as_pydantic_spells(value)
    return value.removeprefix(DEFINITIONS) if keyword == "$ref" else value


def _one_type_a_structure(schema: Schema) -> Schema:
    """`{"type": ["object", "null"], ...}` as a choice, so that what is in the object is written as an object."""
    types = schema.get("type")
    if not isinstance(types, list) or "enum" in schema or not {"object", "array"}.intersection(types):
        return schema
    notes = {key: value for key, value in schema.items() if key in _NOTES}
    rest = {key: value for key, value in schema.items() if key not in notes and key != "type"}
    first = next(name for name in types if name in ("object", "array"))
    return {**notes, "anyOf": [{"type": name, **(rest if name == first else {})} for name in types]}
