"""Validates with each schema and each value once, where the engine would take each way that leads there.

It is many times slower than the engine for a single value, and so only used where that is not what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from src.shared.infrastructure.json_schema.drafts import pointer_to
from src.shared.infrastructure.json_schema.engine import Engine
from src.shared.infrastructure.json_schema.references import References, parts_of

_UNKNOWN = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords that ask what others have let in."""
_WITH_SCHEMAS = frozenset(
    {
        "$ref",
        "$defs",
        "definitions",
        "$id",
        "$schema",
        "$anchor",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
    }
    | {"dependentSchemas", "dependencies", "properties", "patternProperties", "additionalProperties"}
    | {
        "propertyNames",
        "prefixItems",
        "items",
        "additionalItems",
        "contains",
        "minContains",
        "maxContains",
        "contentSchema",
    }
)

_Accepts = Callable[..., bool]
"""Whether the schema at a path in one accepts a value."""


class MemoizedEngine:
    """An `Engine` for the values of one text."""

    def __init__(self, references: References, engine: Engine) -> None:
        self._references = references
        self._engine = engine
        self._known: dict[tuple[str, int], bool] = {}

    @staticmethod
    def takes(references: References) -> bool:
        """Whether it knows all keywords of a schema."""
        schemas = (schema for schema in references.places.values() if isinstance(schema, dict))
        return not any(keyword in schema for schema in schemas for keyword in _UNKNOWN)

    def accepts_at(self, pointer: str, value: object) -> bool:
        """Whether a value, which lives as long as this object, satisfies the schema that stands there."""
        key = pointer, id(value)
        if key not in self._known:
            self._known[key] = self._satisfies(pointer, self._references.places[pointer], value)
        return self._known[key]

    def accepts_by(self, pointer: str, keyword: str, stated: object, value: object) -> bool:
        """As for an `Engine`."""
        return self._engine.accepts_by(pointer, keyword, stated, value)

    def _satisfies(self, pointer: str, schema: Any, value: object) -> bool:  # noqa: ANN401 - a schema may be true or false
        if not isinstance(schema, dict):
            return bool(schema)

        def accepts(inner: object, *path: str | int) -> bool:
            return self.accepts_at(pointer_to(pointer, path), inner)

        leaves = {keyword: stated for keyword, stated in schema.items() if keyword not in _WITH_SCHEMAS}
        return (
            self._engine.accepts_by_all(pointer, leaves, value)
            and all(_together(schema, value, accepts))
            and ("$ref" not in schema or self.accepts_at(self._references.target(schema).pointer, value))
            and (not isinstance(value, dict) or all(self._members(schema, value, accepts)))
            and (not isinstance(value, list) or all(_items(schema, value, accepts)))
        )

    def _members(self, schema: dict[str, Any], value: dict[str, Any], accepts: _Accepts) -> Iterator[bool]:
        fixed, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for key, inner in value.items():
            if key in fixed:
                yield accepts(inner, "properties", key)
            matching = [one for one in patterns if self.accepts_by(f"pattern {one}", "pattern", one, key)]
            yield from (accepts(inner, "patternProperties", one) for one in matching)
            if "additionalProperties" in schema and key not in fixed and not matching:
                yield accepts(inner, "additionalProperties")
            if "propertyNames" in schema:
                yield accepts(key, "propertyNames")


def _together(schema: dict[str, Any], value: object, accepts: _Accepts) -> Iterator[bool]:
    """Whether the schemas in a schema that are applied to its own value accept it."""
    paths = [part.path for part in parts_of(schema) if part.same_value]
    yield from (accepts(value, *path) for path in paths if path[0] == "allOf")
    if "anyOf" in schema:
        yield any(accepts(value, *path) for path in paths if path[0] == "anyOf")
    if "oneOf" in schema:
        yield sum(accepts(value, *path) for path in paths if path[0] == "oneOf") == 1
    if "not" in schema:
        yield not accepts(value, "not")
    if "if" in schema:
        branch = "then" if accepts(value, "if") else "else"
        yield branch not in schema or accepts(value, branch)
    if isinstance(value, dict):
        of_keys = [path for path in paths if path[0] in ("dependentSchemas", "dependencies") and path[1] in value]
        yield from (accepts(value, *path) for path in of_keys)
        others = schema.get("dependencies", {}).items()
        yield all(key not in value or value.keys() >= {*keys} for key, keys in others if isinstance(keys, list))


def _items(schema: dict[str, Any], value: list[Any], accepts: _Accepts) -> Iterator[bool]:
    first = len(schema.get("prefixItems", ()))
    yield from (accepts(inner, "prefixItems", at) for at, inner in enumerate(value[:first]))
    if "items" in schema:
        yield from (accepts(inner, "items") for inner in value[first:])
    if "contains" in schema:
        count = sum(accepts(inner, "contains") for inner in value)
        yield schema.get("minContains", 1) <= count <= schema.get("maxContains", count)
