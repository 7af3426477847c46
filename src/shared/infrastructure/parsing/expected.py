"""What a type says of the values inside it: where an object or an array may stand, and the names of its fields.

It is read from the type's JSON Schema. What is not said there, or in words that are not looked into, may be anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from pydantic.errors import PydanticUserError

from src.shared.domain.answer_type import AnswerType, json_schema_of, per_type

Schema: TypeAlias = Any
_CHOICES = ("anyOf", "oneOf")
_BESIDE_CHOICES = frozenset(
    {*_CHOICES, "title", "description", "default", "examples", "discriminator", "$defs", "$schema"}
)


class Expected:
    """What the type says of one value.

    Attributes:
        objects: whether it may be an object.
        arrays: whether it may be an array.
        names: the names of its fields, of all the objects that it may be.
        required: those that may not be missing.
    """

    def __init__(self, schemas: list[Schema], root: Schema, known: dict[tuple[int, ...], Expected]) -> None:
        self._schemas = [plain for schema in schemas for plain in _plain(schema, root, set())]
        self._root = root
        self._known = known
        self._members: dict[str, Expected] = {}
        self.objects = any(_may_be(schema, "object") for schema in self._schemas)
        self.arrays = any(_may_be(schema, "array") for schema in self._schemas)
        self.names = frozenset(name for schema in self._schemas for name in schema.get("properties", ()))
        self.required = frozenset(name for schema in self._schemas for name in schema.get("required", ()))

    def member(self, key: str) -> Expected:
        """What it says of a member of the object."""
        member = self._members.get(key)
        if member is None:
            member = self._inner([_member_of(schema, key) for schema in self._schemas if _may_be(schema, "object")])
            if key in self.names:
                self._members[key] = member
        return member

    def element(self, at: int) -> Expected:
        """What it says of an element of the array."""
        return self._inner([_element_of(schema, at) for schema in self._schemas if _may_be(schema, "array")])

    def _inner(self, schemas: list[Schema]) -> Expected:
        if not schemas or any(schema is True or schema == {} for schema in schemas):
            return ANYTHING
        names = tuple(map(id, schemas))  # they are parts of one schema, which is kept
        if names not in self._known:
            self._known[names] = Expected(schemas, self._root, self._known)
        return self._known[names]


def _plain(schema: Schema, root: Schema, seen: set[int]) -> Iterator[Schema]:
    """The schemas without references and choices; an empty one for what is not looked into."""
    if not isinstance(schema, dict):
        yield {}
    elif id(schema) not in seen:
        seen.add(id(schema))
        if "$ref" in schema:
            yield from _plain(_at(schema["$ref"], root), root, seen)
        elif choice := next((name for name in _CHOICES if name in schema), None):
            inner = schema[choice] if _BESIDE_CHOICES.issuperset(schema) and isinstance(schema[choice], list) else [{}]
            for each in inner:
                yield from _plain(each, root, seen)
        elif "allOf" in schema or not all(
            isinstance(schema[name], kind) for name, kind in _KINDS.items() if name in schema
        ):
            yield {}
        else:
            yield schema


_KINDS: dict[str, tuple[type, ...]] = {
    "properties": (dict,),
    "items": (dict, bool),
    "prefixItems": (list,),
    "additionalProperties": (dict, bool),
    "required": (list,),
}


def _at(reference: object, root: Schema) -> Schema:
    """The part of the schema that a reference names; an empty one for what is not in it."""
    found = root
    for step in str(reference).split("/")[1:]:
        found = found.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, dict) else {}
    return found if str(reference).startswith("#") else {}


def _may_be(schema: Schema, kind: str) -> bool:
    if "type" in schema:
        return kind in schema["type"] if isinstance(schema["type"], list) else bool(schema["type"] == kind)
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return values is None or any(isinstance(value, dict if kind == "object" else list) for value in values)


def _member_of(schema: Schema, key: str) -> Schema:
    return schema.get("properties", {}).get(key, schema.get("additionalProperties", True))


def _element_of(schema: Schema, at: int) -> Schema:
    first = schema.get("prefixItems", [])
    return first[at] if at < len(first) else schema.get("items", True)


ANYTHING = Expected([{}], {}, {})
"""What is said where there is no type."""


def _expected_of(dto_type: AnswerType[Any]) -> Expected:
    try:
        schema = json_schema_of(dto_type)
    except PydanticUserError:
        return ANYTHING
    return Expected([schema], schema, {})


expected_of = per_type(_expected_of)
"""What a type says of its whole value."""
