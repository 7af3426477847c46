"""What a provider asks of a strict schema, written a second time from its documentation; and what conforms to one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

KEYWORDS = {
    "string": {"pattern", "format"},
    "number": {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "integer": {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "array": {"items", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
    "boolean": set(),
    "null": set(),
}
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def broken_rules(schema: Schema) -> list[str]:
    """What a provider would refuse the schema for; empty where it takes it."""
    root = [] if schema.get("type") == "object" and "anyOf" not in schema else ["the root is no object"]
    definitions = schema.get("$defs", {})
    own = {key: value for key, value in schema.items() if key != "$defs"}
    return root + [problem for part in (own, *definitions.values()) for problem in _problems(part, definitions)]


def _problems(schema: Any, definitions: Schema) -> Iterator[str]:  # noqa: ANN401 - what is to be found out
    if not isinstance(schema, dict):
        yield f"{schema!r} is no schema"
        return
    rest = set(schema) - {"description"}
    if "$ref" in schema:
        if set(schema) != {"$ref"}:
            yield "$ref with something beside it"
        if schema["$ref"].removeprefix("#/$defs/") not in definitions:
            yield "$ref to nothing"
    elif "anyOf" in schema:
        if rest != {"anyOf"} or not schema["anyOf"]:
            yield f"anyOf beside {rest}"
        for choice in schema["anyOf"]:
            yield from _problems(choice, definitions)
    else:
        yield from _value_problems(schema, rest, definitions)


def _value_problems(schema: Schema, rest: set[str], definitions: Schema) -> Iterator[str]:
    said = schema.get("type", [])
    types = [said] if isinstance(said, str) else said
    if not types:
        yield "no type"
    unknown = rest - {"type", "enum", "const"}.union(*(KEYWORDS[name] for name in types))
    if unknown:
        yield f"unknown {sorted(unknown)}"
    if schema.get("format", "date") not in FORMATS:
        yield f"format {schema['format']}"
    if "(?=" in schema.get("pattern", "") or "(?!" in schema.get("pattern", ""):
        yield f"pattern {schema['pattern']}"
    if "object" in types:
        if schema.get("additionalProperties") is not False or schema.get("required") != list(schema["properties"]):
            yield "an object that is open, or has keys that may be left out"
        for member in schema["properties"].values():
            yield from _problems(member, definitions)
    if "array" in types:
        yield from _problems(schema.get("items"), definitions)


def conforms(value: Any, schema: Schema, definitions: Schema) -> bool:  # noqa: ANN401 - any JSON
    """Whether a provider that holds a model to the schema would let it write the value."""
    if "$ref" in schema:
        return conforms(value, definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    if "anyOf" in schema:
        return any(conforms(value, choice, definitions) for choice in schema["anyOf"])
    said = schema["type"]
    types = [said] if isinstance(said, str) else said
    is_of_type = any(type(value) in JSON_TYPES[name] for name in types)
    is_listed = value in schema.get("enum", [value]) and value == schema.get("const", value)
    return is_of_type and is_listed and _within(value, schema, definitions)


def _within(value: Any, schema: Schema, definitions: Schema) -> bool:  # noqa: ANN401 - any JSON
    """Whether the parts and the size of a value of the right type are as the schema says."""
    match value:
        case dict():
            members = schema["properties"]
            return value.keys() == members.keys() and all(
                conforms(value[key], members[key], definitions) for key in value
            )
        case list():
            fits = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
            return fits and all(conforms(item, schema["items"], definitions) for item in value)
        case str():
            return re.search(schema.get("pattern", ""), value) is not None
        case float() | int():
            return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True
