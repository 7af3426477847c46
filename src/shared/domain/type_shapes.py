"""What a type's core schema says about its JSON: the root, the keys, and whether all of them may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

CoreSchema: TypeAlias = Mapping[str, Any]
Root: TypeAlias = Literal["object", "array"]
Roots: TypeAlias = Literal["object", "array", "any"]

ROOTS: dict[Roots, frozenset[Root]] = {
    "object": frozenset({"object"}),
    "array": frozenset({"array"}),
    "any": frozenset({"object", "array"}),
}
"""What may be looked for, by its name."""

_NOT_SCHEMAS = frozenset(
    {"metadata", "serialization", "computed_fields", "default", "expected", "members", "ref", "cls", "config"}
)
"""Parts of a core schema that hold anything but what is validated."""
_FIELDS = frozenset({"model-fields", "typed-dict", "dataclass-args"})
_ARRAYS = frozenset({"list", "set", "frozenset", "generator", "tuple", "named-tuple", "call"})
_INNER = {"lax-or-strict": "lax_schema", "json-or-python": "json_schema"}
"""Where the schema of JSON stands that a schema passes on to; everywhere else it is `schema`."""
_FUNCTIONS_FIRST = frozenset({"function-before", "function-wrap", "function-plain"})
_FREE_KEYS: frozenset[str] = frozenset()

SHAPES = "llm_output_shapes"
"""Where the metadata of a core schema hold its shapes, if the type says them itself."""
LENIENT = "llm_output_lenient"
"""Where the metadata of a core schema hold what may be coerced."""


class Shape(NamedTuple):
    """One form of JSON that a type is read from.

    Attributes:
        root: what the JSON is.
        keys: the fields' names and aliases of the object, or of the objects in the array; empty where keys are free.
        optional: whether an object with none of these keys is valid.
        reshaped: whether a validator may put other keys in place before the fields are looked up.
    """

    root: Root
    keys: frozenset[str] = _FREE_KEYS
    optional: bool = False
    reshaped: bool = False


def name_of_roots(roots: frozenset[Root]) -> Roots:
    """The name of what is looked for."""
    return next(name for name, some in ROOTS.items() if some == roots)


def accepts_root(roots: frozenset[Root], data: object) -> bool:
    """Whether decoded data is one of these."""
    return (isinstance(data, dict) and "object" in roots) or (isinstance(data, list) and "array" in roots)


def reads_decimals(schema: CoreSchema) -> bool:
    """Whether there is a `Decimal` anywhere in the type."""
    return any(part["type"] == "decimal" for part in _parts(schema))


def is_lenient(schema: CoreSchema) -> bool:
    """Whether there is a value anywhere in the type that may be coerced."""
    return any(LENIENT in (part.get("metadata") or ()) for part in _parts(schema))


def definitions_of(schema: CoreSchema) -> dict[str, CoreSchema]:
    """The schemas inside a schema that others refer to, by their names."""
    return {part["ref"]: part for part in _parts(schema) if "ref" in part}


def shapes_of(schema: CoreSchema) -> tuple[Shape, ...]:
    """Every form of JSON that a type is read from and that is an object or an array."""
    return tuple(dict.fromkeys(_shapes(schema, definitions_of(schema), frozenset())))


def roots_of(schema: CoreSchema) -> frozenset[Root]:
    """What the JSON of a type may be; empty for a scalar."""
    return frozenset(shape.root for shape in shapes_of(schema))


def _shapes(part: CoreSchema, definitions: Mapping[str, CoreSchema], seen: frozenset[str]) -> Iterator[Shape]:
    kind = part["type"]
    if SHAPES in (part.get("metadata") or ()):
        yield from part["metadata"][SHAPES]
    elif kind == "definition-ref":
        ref = part["schema_ref"]
        if ref not in seen:  # a type inside itself has no other shape than the outer one
            yield from _shapes(definitions[ref], definitions, seen | {ref})
    elif kind in _FIELDS:
        yield _object(part)
    elif kind in _ARRAYS and not _is_function(part):
        yield from _array(part, definitions, seen)
    elif kind == "dict":
        yield Shape("object")
    elif kind == "any" or (kind == "function-plain" and "json_schema_input_schema" not in part):
        yield from (Shape("object"), Shape("array"))
    else:
        for inner in _passed_on(part):
            for shape in _shapes(inner, definitions, seen):
                yield shape._replace(reshaped=shape.reshaped or kind in _FUNCTIONS_FIRST)


def _is_function(part: CoreSchema) -> bool:
    """Whether Pydantic would call a function with the JSON as its arguments; a named tuple is made by a call, too."""
    return part["type"] == "call" and not isinstance(part["function"], type)


def _passed_on(part: CoreSchema) -> Iterator[CoreSchema]:
    """The schemas that take the same JSON as this one; none for a scalar."""
    if "json_schema_input_schema" in part:
        yield part["json_schema_input_schema"]
    elif part["type"] == "union":
        yield from (choice[0] if isinstance(choice, tuple) else choice for choice in part["choices"])
    elif part["type"] == "tagged-union":
        yield from part["choices"].values()
    elif part["type"] == "chain":
        yield part["steps"][0]
    else:
        inner = part.get(_INNER.get(part["type"], "schema"))
        if isinstance(inner, dict) and part["type"] != "json":  # JSON in a string is a string
            yield inner


def _object(part: CoreSchema) -> Shape:
    fields = list(fields_of(part))
    keys = frozenset(key for name, field in fields for key in _names(name, field))
    return Shape("object", keys, optional=not any(is_required(field) for _, field in fields))


def _array(part: CoreSchema, definitions: Mapping[str, CoreSchema], seen: frozenset[str]) -> Iterator[Shape]:
    items = part.get("items_schema", ())
    choices = items if isinstance(items, list) else [items] if items else []
    inner = [shape for choice in choices for shape in _shapes(choice, definitions, seen)]
    yield from (shape._replace(root="array") for shape in inner)
    if not inner:
        yield Shape("array")


def fields_of(part: CoreSchema) -> Iterable[tuple[str, CoreSchema]]:
    """The fields of a model, a `TypedDict` or a dataclass, by their names."""
    fields = part["fields"]
    return fields.items() if isinstance(fields, dict) else ((field["name"], field) for field in fields)


def _names(name: str, field: CoreSchema) -> Iterator[str]:
    """A field's name and its aliases; of a path, the key it begins with."""
    yield name
    if "serialization_alias" in field:
        yield field["serialization_alias"]
    alias = field.get("validation_alias", ())
    paths = [[alias]] if isinstance(alias, str) else alias if alias and isinstance(alias[0], list) else [alias]
    for path in paths:
        yield from (step for step in path[:1] if isinstance(step, str))


def is_required(field: CoreSchema) -> bool:
    """Whether a field has no default."""
    if "required" in field:
        return bool(field["required"])
    return bool(field["schema"]["type"] != "default")  # Pydantic puts it around all validators


def _parts(schema: CoreSchema) -> Iterator[CoreSchema]:
    """Every schema inside a schema, itself included."""
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            is_schema = isinstance(part.get("type"), str)  # else names of fields, or tags, and their schemas
            if is_schema:
                yield part
            waiting.extend(value for key, value in part.items() if not (is_schema and key in _NOT_SCHEMAS))
        elif isinstance(part, (list, tuple)):
            waiting.extend(part)
