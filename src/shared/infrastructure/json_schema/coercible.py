"""What of a JSON Schema's data may be coerced: the keys of its objects, and objects in place of its lists.

A schema says which keys there are and where a list is due. What a value means it does not say: a number in a string
stays one.
"""

from __future__ import annotations

from typing import Any

from src.shared.domain.schema_walk import CHOICES, Schema
from src.shared.infrastructure.json_schema.references import References

_OTHER_KEYWORDS = frozenset(
    """
    allOf not if then else dependentSchemas dependentRequired dependencies patternProperties propertyNames
    unevaluatedProperties
    """.split()
)
"""Keywords that may say more of an object than its properties do."""
_ABOUT_VALUES = frozenset({"type", "properties", "items", "additionalProperties", "prefixItems"})
_ANYTHING: dict[str, Any] = {"type": "any"}
_PLAIN: dict[str, Any] = {"type": "str"}
"""Stands for all plain values: none of them is read."""


def coercible_part(schema: Schema, references: References) -> dict[str, Any]:
    """The schema as Pydantic would write the core schema of such a type; one that is inside itself is so there, too."""
    known = dict[int, dict[str, Any]]()
    root: dict[str, Any] = {"type": "definitions"}
    waiting: list[tuple[Any, dict[str, Any]]] = [(schema, root)]

    def part(inner: object) -> dict[str, Any]:
        if not isinstance(inner, dict):
            return _ANYTHING
        if id(inner) not in known:
            known[id(inner)] = {"type": "definitions"}
            waiting.append((inner, known[id(inner)]))
        return known[id(inner)]

    known[id(schema)] = root
    while waiting:
        inner, made = waiting.pop()
        if "$ref" in inner:
            is_alone = _ABOUT_VALUES.isdisjoint(inner) and _OTHER_KEYWORDS.isdisjoint(inner)
            made["schema"] = part(references.places[references.target(inner)]) if is_alone else _ANYTHING
            continue
        given = [one for keyword in CHOICES for one in inner.get(keyword, ())]
        if not given:
            made["schema"] = {"type": "union", "choices": _kinds(inner, part)}
        elif _ABOUT_VALUES.isdisjoint(inner) and _OTHER_KEYWORDS.isdisjoint(inner):
            made["schema"] = {"type": "union", "choices": [part(one) for one in given]}
        else:
            made["schema"] = _ANYTHING
    return root


def _kinds(schema: Schema, part: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a function of this module
    """What a schema without choices describes, by the types that it names."""
    if not _OTHER_KEYWORDS.isdisjoint(schema):
        return [_ANYTHING]
    named = schema.get("type", "object" if "properties" in schema else "array" if "items" in schema else None)
    found = list[dict[str, Any]]()
    for one in named if isinstance(named, list) else [named]:
        if one == "object":
            found.append(_object(schema, part))
        elif one == "array" and isinstance(schema.get("items"), dict) and "prefixItems" not in schema:
            found.append({"type": "list", "items_schema": part(schema["items"])})
        elif one == "null":
            found.append({"type": "none"})
        else:
            is_plain = one in {"string", "number", "integer", "boolean"} or {"enum", "const"} & schema.keys()
            found.append(_PLAIN if is_plain else _ANYTHING)
    return found


def _object(schema: Schema, part: Any) -> dict[str, Any]:  # noqa: ANN401 - a function of this module
    required, others = schema.get("required", ()), schema.get("additionalProperties", False)
    if not schema.get("properties"):
        return {"type": "dict", "values_schema": part(others)}
    fields = {
        name: {"type": "typed-dict-field", "schema": part(inner), "required": name in required}
        for name, inner in {**dict.fromkeys(required, True), **schema["properties"]}.items()
    }
    behavior = "ignore" if others is False else "allow"
    return {"type": "typed-dict", "fields": fields, "config": {"extra_fields_behavior": behavior}}
