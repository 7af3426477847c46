"""The part of a type that stands at a path of its JSON, as far as the type alone decides what it is read as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from src.shared.domain.type_shapes import CoreSchema, definitions_of, fields_of

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes, from the root of the JSON."""

_ELEMENTS = {"list": "items_schema", "set": "items_schema", "frozenset": "items_schema", "dict": "values_schema"}
"""Schemas of any number of members of one type, and where that stands."""
_FIELDS = frozenset({"model-fields", "typed-dict", "dataclass-args"})
_THROUGH = {
    "definitions": "schema",
    "default": "schema",
    "nullable": "schema",
    "model": "schema",
    "dataclass": "schema",
    "function-after": "schema",
    "lax-or-strict": "lax_schema",
    "json-or-python": "json_schema",
}
"""Schemas that hand the same JSON on as it is, and where the next one stands. A function in front may change it."""


class TypeParts:
    """The parts of one type."""

    def __init__(self, schema: CoreSchema) -> None:
        self._schema = schema
        self._definitions = definitions_of(schema)

    def at(self, path: Path) -> CoreSchema | None:
        """The schema of the value at a path; None where a union, a function or a fixed place in a list decides."""
        part: CoreSchema | None = self._schema
        for step in path:
            part = part and self._inside(self._bare(part), step)
        return part

    def has_elements(self, path: Path) -> bool:
        """Whether the value at a path has any number of members, all of one type: a list, or an object of free keys."""
        part = self.at(path)
        return part is not None and _element(self._bare(part)) is not None

    def element_of(self, path: Path) -> Path | None:
        """The member of the first such value on a path; None where there is none. Linear in the path."""
        part: CoreSchema | None = self._schema
        for length, step in enumerate(path, 1):
            bare = self._bare(part) if part else None
            if bare is None or _element(bare) is not None:
                return path[:length] if bare else None
            part = self._inside(bare, step)
        return None

    def fields(self, path: Path) -> Sequence[frozenset[str]]:
        """The fields of the object at a path, each by the keys that it may have; empty where keys are free."""
        part = self.at(path)
        bare = self._bare(part) if part else {}
        if bare.get("type") not in _FIELDS:
            return ()
        return [frozenset(_keys(name, field)) for name, field in fields_of(bare)]

    def with_definitions(self, schema: CoreSchema) -> CoreSchema:
        """A schema of parts of this type, which may refer to its definitions."""
        return {"type": "definitions", "schema": schema, "definitions": [*self._definitions.values()]}

    def _bare(self, part: CoreSchema) -> CoreSchema:
        """What is behind the schemas that hand the JSON on."""
        seen = set[int]()
        while id(part) not in seen:
            seen.add(id(part))
            if part["type"] == "definition-ref":
                part = self._definitions[part["schema_ref"]]
            elif part["type"] in _THROUGH:
                part = part[_THROUGH[part["type"]]]
        return part

    @staticmethod
    def _inside(part: CoreSchema, step: str | int) -> CoreSchema | None:
        if part["type"] not in _FIELDS:
            return _element(part)
        found = (field for name, field in fields_of(part) if step in _keys(name, field))
        field: Mapping[str, Any] | None = next(found, None)
        return field and field["schema"]


def _element(part: CoreSchema) -> CoreSchema | None:
    items = part.get(_ELEMENTS.get(part["type"], "items_schema"))
    if part["type"] in _ELEMENTS:
        return items or {"type": "any"}
    if part["type"] == "tuple" and part.get("variadic_item_index") == 0 and items and len(items) == 1:
        first: CoreSchema = items[0]
        return first
    return None


def _keys(name: str, field: CoreSchema) -> set[str]:
    """The keys under which a field is read: its alias, or its name; none of a path into something else."""
    alias = field.get("validation_alias", name)
    return {alias, name} if isinstance(alias, str) else set()
