"""What a type says of the values inside it: what kind of JSON may stand where, and the names of its fields.

It is read from the type's JSON Schema. What is not said there, or in words that are not looked into, may be anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from src.shared.domain.answer_type import AnswerType, json_schema_of, per_type
from src.shared.domain.schema_walk import CHOICES

Schema: TypeAlias = Any
_DECIMAL = "decimal"
"""The format of the texts that a `Decimal` is read from."""
_CLOSED = frozenset({_DECIMAL, "date", "date-time", "time", "duration"})
"""The formats of texts in which no emphasis stands."""
_BESIDE_CHOICES = frozenset(
    {*CHOICES, "title", "description", "default", "examples", "discriminator", "$defs", "$schema"}
)


class Expected:
    """What the type says of one value.

    Attributes:
        types: the types of JSON that it may have; a whole number is a number.
        objects: whether it may be an object.
        arrays: whether it may be an array.
        names: the names of its fields, of all the objects that it may be.
        required: those that may not be missing.
        is_decimal: whether it may be a number, and no text but the digits of one.
        is_prose: whether it may be a text that is no member of a choice, no date and no number.
        others: whether it is said that there may be fields of other names.
        said: the schemas that speak of it, as they stand and with what they refer to.
        root: the schema of the whole type.
    """

    def __init__(self, schemas: list[Schema], root: Schema, known: dict[tuple[int, ...], Expected]) -> None:
        found = [(schema, _types_of(schema)) for schema in _plain(schemas, root)]
        self.root = root
        self._known = known
        self._members: dict[str, Expected] = {}
        self._objects = [schema for schema, types in found if "object" in types]
        self._arrays = [schema for schema, types in found if "array" in types]
        self.types = frozenset[str]().union(*(types for _, types in found))
        self.objects, self.arrays = bool(self._objects), bool(self._arrays)
        self.names = frozenset(name for schema, _ in found for name in schema.get("properties", ()))
        self.required = frozenset(name for schema, _ in found for name in schema.get("required", ()))
        texts = [schema for schema, types in found if "string" in types]
        is_digits = bool(texts) and all(schema.get("format") == _DECIMAL for schema in texts)
        self.is_decimal = is_digits and "number" in self.types
        closed = [{"enum", "const"} & schema.keys() or schema.get("format") in _CLOSED for schema in texts]
        self.is_prose = not all(closed)
        self.others = any(schema.get("additionalProperties", False) is not False for schema, _ in found)
        self.said = [schema for schema in (*schemas, *(plain for plain, _ in found)) if isinstance(schema, dict)]

    @property
    def has_no_fields(self) -> bool:
        """Whether it is said that the object has none at all."""
        is_said = all(schema.get("properties") == {} for schema in self._objects)
        return is_said and self.objects and not self.others

    def titles(self) -> Iterator[tuple[str, str]]:
        """The names of the fields that have a title, with it."""
        for schema in self._objects:
            properties = schema.get("properties", {}).items()
            yield from ((name, one["title"]) for name, one in properties if isinstance(one, dict) and "title" in one)

    def member(self, key: str) -> Expected:
        """What it says of a member of the object."""
        member = self._members.get(key)
        if member is None:
            free = [schema.get("additionalProperties", True) for schema in self._objects]
            properties = [schema.get("properties", {}) for schema in self._objects]
            member = self._inner([named.get(key, other) for named, other in zip(properties, free, strict=True)])
            if key in self.names:
                self._members[key] = member
        return member

    def named(self, key: str) -> Expected:
        """The same of those of the objects alone that have a field of the name."""
        properties = [schema.get("properties", {}) for schema in self._objects]
        return self._inner([named[key] for named in properties if key in named])

    def element(self, at: int) -> Expected:
        """What it says of an element of the array."""
        first = [schema.get("prefixItems", [])[at : at + 1] for schema in self._arrays]
        others = [schema.get("items", True) for schema in self._arrays]
        return self._inner([own[0] if own else other for own, other in zip(first, others, strict=True)])

    def _inner(self, schemas: list[Schema]) -> Expected:
        if not schemas or any(schema is True or schema == {} for schema in schemas):
            return ANYTHING
        names = tuple(map(id, schemas))  # they are parts of one schema, which is kept
        if names not in self._known:
            self._known[names] = Expected(schemas, self.root, self._known)
        return self._known[names]


def _plain(schemas: list[Schema], root: Schema) -> Iterator[Schema]:
    """The schemas without references and choices, in their order; an empty one for what is not looked into."""
    waiting, seen = schemas[::-1], set[int]()
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict):
            yield {}
        elif id(schema) not in seen:
            seen.add(id(schema))
            if "$ref" in schema:
                waiting.append(_at(schema["$ref"], root))
            elif choice := next((name for name in CHOICES if name in schema), None):
                is_plain = _BESIDE_CHOICES.issuperset(schema) and isinstance(schema[choice], list)
                waiting += reversed(schema[choice] if is_plain else [{}])
            elif "allOf" in schema or not all(
                isinstance(schema[name], kind) for name, kind in _KINDS.items() if name in schema
            ):
                yield {}
            else:
                yield schema


_KINDS: dict[str, tuple[type, ...]] = {
    "type": (str, list),
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


def _types_of(schema: Schema) -> frozenset[str]:
    """The types of JSON that a schema without references and choices takes."""
    written = schema.get("type", [*_EVERY_TYPE])
    types = {"number" if one == "integer" else one for one in ([written] if isinstance(written, str) else written)}
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return _EVERY_TYPE.intersection(types if values is None else types.intersection(map(type_of, values)))


def type_of(value: object) -> str:
    """The type of JSON that a decoded value has."""
    return _TYPES.get(type(value), "number")


_TYPES = {bool: "boolean", str: "string", type(None): "null", dict: "object", list: "array"}
_EVERY_TYPE = frozenset({"number", *_TYPES.values()})


ANYTHING = Expected([{}], {}, {})
"""What is said where there is no type."""


class _WithDecimals(GenerateJsonSchema):
    """Tells the texts of a `Decimal` from those of a union of numbers and texts."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> dict[str, Any]:
        said = super().decimal_schema(schema)
        for one in said.get("anyOf", ()):
            if one["type"] == "string":
                one["format"] = _DECIMAL
        return said


@per_type
def expected_of(dto_type: AnswerType[Any]) -> Expected:
    """What a type says of its whole value."""
    try:
        schema = json_schema_of(dto_type, _WithDecimals)
    except Exception:  # noqa: BLE001 - it has none, or what writes it is the caller's code
        return ANYTHING
    return Expected([schema], schema, {})
