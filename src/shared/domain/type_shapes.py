"""What a type's core schema says about its JSON: root, keys, whether all may be missing; and its part at a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Literal, NamedTuple, TypeAlias

CoreSchema: TypeAlias = Mapping[str, Any]
Root: TypeAlias = Literal["object", "array", "scalar"]
Roots: TypeAlias = Literal["object", "array", "any"]

ROOTS: dict[Roots, frozenset[Root]] = {
    "object": frozenset({"object"}),
    "array": frozenset({"array"}),
    "any": frozenset({"object", "array"}),
}
"""What may be looked for, by its name."""
SCALAR: frozenset[Root] = frozenset({"scalar"})
"""What is looked for where a type is one value, and says that it is read so (`read_as.ReadAs.scalar`)."""
_SCALARS = frozenset({"enum", "literal", "int", "float", "decimal", "bool", "date", "datetime", "none"})
"""Schemas of values that a text can be held against: any text is a `str`."""
_PASS_MARKS = {"definitions": "schema", "function-after": "schema", "default": "schema"}
"""Schemas that are read as what is in them, and where that stands."""

_NOT_SCHEMAS = frozenset(
    {"metadata", "serialization", "computed_fields", "default", "expected", "members", "ref", "cls", "config"}
)
"""Parts of a core schema that hold anything but what is validated."""
FIELDS = frozenset({"model-fields", "typed-dict", "dataclass-args"})
"""Schemas of an object with fields of its own."""
_OBJECTS = FIELDS | {"dict"}
_ARRAYS = frozenset({"list", "set", "frozenset", "generator", "tuple", "named-tuple", "call"})
_INNER = {"lax-or-strict": "lax_schema", "json-or-python": "json_schema"}
"""Where the schema of JSON stands that a schema passes on to; everywhere else it is `schema`."""
_FUNCTIONS_FIRST = frozenset({"function-before", "function-wrap", "function-plain"})
_FREE_KEYS: frozenset[str] = frozenset()

SHAPES = "llm_output_shapes"
"""Where the metadata of a core schema hold its shapes, if the type says them itself."""
READ_AS = "llm_output_read_as"
"""Where the metadata of a core schema hold how its text is read (`read_as.ReadAs`)."""
LENIENT = "llm_output_lenient"
"""Where the metadata of a core schema hold what may be coerced."""

COERCIBLE = "llm_output_coercible"
"""Where the metadata of a core schema hold what gives the schema by which its data are coerced, if it says nothing."""


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


def name_of_roots(roots: frozenset[Root]) -> str:
    """The name of what is looked for."""
    return next((name for name, some in ROOTS.items() if some == roots), "scalar")


def accepts_root(roots: frozenset[Root], data: object) -> bool:
    """Whether decoded data is one of these."""
    return ("object" if isinstance(data, dict) else "array" if isinstance(data, list) else "scalar") in roots


def reads_decimals(schema: CoreSchema) -> bool:
    """Whether there is a `Decimal` anywhere in the type."""
    return any(part["type"] == "decimal" for part in _parts(schema))


_FLOATS = frozenset({"float", "complex", "decimal"})
_ELEMENTS = {"list": "items_schema", "set": "items_schema", "frozenset": "items_schema", "dict": "values_schema"}
"""Schemas of any number of members of one type, and where that stands."""


def reads_integers(schema: CoreSchema) -> bool:
    """Whether a whole number that no float is may be noticed anywhere in the type."""
    return any(part["type"] == "int" or _takes_any_number(part) for part in _parts(schema))


def reads_signs(schema: CoreSchema) -> bool:
    """Whether the sign of a zero may be noticed anywhere in the type."""
    return any(part["type"] in _FLOATS or _takes_any_number(part) for part in _parts(schema))


def _takes_any_number(part: CoreSchema) -> bool:
    """Whether a number of JSON may become part of the object as it is, or be seen by code, or be written as text."""
    kind = part["type"]
    config = part.get("config") or {}
    if kind == "literal":
        return not all(isinstance(one, str) for one in part["expected"])
    if kind == "enum":
        return not all(isinstance(one.value, str) for one in part["members"])
    return (
        kind == "any"
        or kind in _FUNCTIONS_FIRST
        or (kind in _ELEMENTS and _ELEMENTS[kind] not in part)
        or SHAPES in (part.get("metadata") or ())
        or "allow" in (part.get("extra_behavior"), config.get("extra_fields_behavior"))
        or bool(part.get("coerce_numbers_to_str") or config.get("coerce_numbers_to_str"))
    )


def is_lenient(schema: CoreSchema) -> bool:
    """Whether there is a value anywhere in the type that may be coerced."""
    return any(LENIENT in (part.get("metadata") or ()) for part in _parts(schema))


def is_rewritten(schema: CoreSchema) -> bool:
    """Whether code may put one valid value in place of another text, anywhere in the type."""
    return any(part["type"] in _FUNCTIONS_FIRST or _finds_missing(part) for part in _parts(schema))


def _finds_missing(part: CoreSchema) -> bool:
    """Whether an enum gives a member for what is none."""
    return part["type"] == "enum" and any("_missing_" in vars(one) for one in part["cls"].mro()[: -len(Enum.mro())])


def definitions_of(schema: CoreSchema) -> dict[str, CoreSchema]:
    """The schemas inside a schema that others refer to, by their names."""
    return {part["ref"]: part for part in _parts(schema) if "ref" in part}


class Rows(NamedTuple):
    """The objects that are elements of an array, anywhere in a type.

    Attributes:
        starts: the names of the first required field of each; none of one that may lack all of them.
        free: whether there is one that has no required field, or whose keys are free.
    """

    starts: frozenset[str] = frozenset()
    free: bool = False

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.starts) or self.free


def rows_of(schema: CoreSchema) -> Rows:
    """The objects that are elements of an array in a type."""
    definitions = definitions_of(schema)
    starts: set[str] = set()
    free = False

    def inside_element(part: CoreSchema) -> Iterable[CoreSchema]:
        return () if part["type"] in _ARRAYS | _OBJECTS else _inside(part, definitions)

    for part in _parts(schema):
        free = free or SHAPES in (part.get("metadata") or ())  # the type says its shapes itself
        for row in _reached(_inside(part, definitions), inside_element) if _is_array(part) else ():
            first = next(((name, field) for name, field in fields_of(row) if is_required(field)), None)
            starts.update(names_of(*first) if first else ())
            free = free or (row["type"] in _OBJECTS and first is None)
    return Rows(frozenset(starts), free)


def shapes_of(schema: CoreSchema) -> tuple[Shape, ...]:
    """Every form of JSON that a type is read from and that is an object or an array, in the order in which it has them.

    Each part is looked at once: a type may be inside itself in more ways than can be followed.
    """
    definitions = definitions_of(schema)
    found: dict[Shape, None] = {}
    seen: set[tuple[int, bool, bool]] = set()
    scalars: dict[int, bool] = {}  # of each array, by its identity, whether there is no object in it
    waiting = [(schema, False, False)]
    while waiting:
        part, in_array, reshaped = waiting.pop()
        if (id(part), in_array, reshaped) in seen:
            continue
        seen.add((id(part), in_array, reshaped))
        own, inner = _own_shapes(part), [*_inside(part, definitions)]
        if _is_array(part) and not own:
            in_array = True
            if id(part) not in scalars:
                inside = _reached(inner, lambda one: _inside(one, definitions))
                scalars[id(part)] = not any(map(_own_shapes, inside))
            if scalars[id(part)]:
                own, inner = (Shape("array"),), []
        for shape in own:
            root: Root = "array" if in_array else shape.root
            found[shape._replace(root=root, reshaped=shape.reshaped or reshaped)] = None
        reshaped = reshaped or part["type"] in _FUNCTIONS_FIRST
        waiting.extend((one, in_array, reshaped) for one in reversed(inner))
    return tuple(found)


def roots_of(schema: CoreSchema) -> frozenset[Root]:
    """What the JSON of a type may be; empty for a scalar that is not said to be read, or cannot be."""
    found = frozenset(shape.root for shape in shapes_of(schema))
    return SCALAR if not found and _reads_scalar(schema) else found


def marks_of(schema: CoreSchema) -> Iterator[Any]:
    """What a type says of how its own text is read (`read_as.ReadAs`), from the outside in."""
    while True:
        if READ_AS in (schema.get("metadata") or ()):
            yield schema["metadata"][READ_AS]
        if schema["type"] == "chain":
            schema = schema["steps"][0]
        elif schema["type"] in _PASS_MARKS:
            schema = schema[_PASS_MARKS[schema["type"]]]
        else:
            return


def _reads_scalar(schema: CoreSchema) -> bool:
    """Whether a type is said to be read as one value, and each of its choices is such; none that code sees first."""
    if not any(mark.scalar for mark in marks_of(schema)):
        return False
    definitions = definitions_of(schema)
    kinds = set[str]()
    for part in _reached([schema], lambda one: () if one["type"] in _FUNCTIONS_FIRST else _inside(one, definitions)):
        inner = () if part["type"] in _FUNCTIONS_FIRST else [*_inside(part, definitions)]
        kinds.update(() if inner else (part["type"],))
        kinds.update(("none",) if part["type"] == "nullable" else ())
    return kinds <= _SCALARS and kinds != {"none"}


def _own_shapes(part: CoreSchema) -> Sequence[Shape]:
    """The shapes of what is no array, and passes nothing on."""
    kind = part["type"]
    if SHAPES in (part.get("metadata") or ()):
        shapes: Sequence[Shape] = part["metadata"][SHAPES]
        return shapes
    if kind in FIELDS:
        fields = list(fields_of(part))
        keys = frozenset(key for name, field in fields for key in names_of(name, field))
        return (Shape("object", keys, optional=not any(is_required(field) for _, field in fields)),)
    if kind == "dict":
        return (Shape("object"),)
    if kind == "any" or (kind == "function-plain" and "json_schema_input_schema" not in part):
        return (Shape("object"), Shape("array"))
    return ()


def _inside(part: CoreSchema, definitions: Mapping[str, CoreSchema]) -> Iterable[CoreSchema]:
    """The schemas whose shapes are those of this one, or of its items."""
    kind = part["type"]
    if kind == "definition-ref":
        return (definitions[part["schema_ref"]],)
    if kind in _ARRAYS:
        return items_of(part)
    return () if _own_shapes(part) else _passed_on(part)


def _reached(first: Iterable[CoreSchema], inside: Callable[[CoreSchema], Iterable[CoreSchema]]) -> Iterator[CoreSchema]:
    """Some parts and what is inside them, each once: a type may be inside itself."""
    waiting, seen = [*first], set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting.extend(inside(part))


def _is_array(part: CoreSchema) -> bool:
    """Whether it is an array, and no function that Pydantic would call with one; a named tuple is made by a call."""
    return part["type"] in _ARRAYS and (part["type"] != "call" or isinstance(part["function"], type))


def _passed_on(part: CoreSchema) -> Iterator[CoreSchema]:
    """The schemas that take the same JSON as this one; none for a scalar."""
    if "json_schema_input_schema" in part:
        yield part["json_schema_input_schema"]
    elif part["type"] == "union":
        yield from choices_of_union(part)
    elif part["type"] == "tagged-union":
        yield from part["choices"].values()
    elif part["type"] == "chain":
        yield part["steps"][0]
    else:
        inner = part.get(_INNER.get(part["type"], "schema"))
        if isinstance(inner, dict) and part["type"] != "json":  # JSON in a string is a string
            yield inner


def choices_of_union(part: CoreSchema) -> Iterator[CoreSchema]:
    """The types of a union, of which some may have labels."""
    yield from (choice[0] if isinstance(choice, tuple) else choice for choice in part["choices"])


def items_of(part: CoreSchema) -> Sequence[CoreSchema]:
    """The schemas of an array's items, one or more; none where they may be anything."""
    items = part.get("items_schema", ())
    return items if isinstance(items, list) else [items] if items else ()


def whole_keys(alias: Any) -> Iterator[str]:  # noqa: ANN401 - a key, a path, or several paths
    """The keys among what Pydantic looks a value up by: no paths into another value."""
    yield from (path[0] for path in _paths(alias) if len(path) == 1)


def _paths(alias: Any) -> Sequence[Sequence[Any]]:  # noqa: ANN401 - as above
    return [[alias]] if isinstance(alias, str) else alias if alias and isinstance(alias[0], list) else [alias]


def fields_of(part: CoreSchema) -> Iterable[tuple[str, CoreSchema]]:
    """The fields of a model, a `TypedDict` or a dataclass, by their names; none of anything else."""
    fields = part["fields"] if part["type"] in FIELDS else ()
    return fields.items() if isinstance(fields, dict) else ((field["name"], field) for field in fields)


def names_of(name: str, field: CoreSchema) -> Iterator[str]:
    """A field's name and its aliases; of a path, the key it begins with."""
    yield name
    if "serialization_alias" in field:
        yield field["serialization_alias"]
    for path in _paths(field.get("validation_alias", ())):
        yield from (step for step in path[:1] if isinstance(step, str))


def escapes_of(part: CoreSchema) -> str | None:
    """How a part of a type says that the escapes of its text are read; None where it says nothing, or as JSON does."""
    mark = (part.get("metadata") or {}).get(READ_AS)
    return None if mark is None or mark.escapes == "json" else str(mark.escapes)


def field_escapes(schema: CoreSchema) -> frozenset[str]:
    """The ways of reading escapes that parts of a type ask for."""
    return frozenset(filter(None, map(escapes_of, _parts(schema))))


def parts_with_keys(
    part: CoreSchema, value: object, definitions: Mapping[str, CoreSchema]
) -> Iterator[tuple[CoreSchema, str | int | None]]:
    """The schemas of the parts of a value, with their keys or indexes; None for the value itself, in another schema."""
    kind = part["type"]
    if kind == "definition-ref":
        yield definitions[part["schema_ref"]], None
    elif kind in FIELDS:
        for name, field in fields_of(part):
            names = dict.fromkeys(names_of(name, field))
            yield from ((field["schema"], key) for key in names if isinstance(value, dict) and key in value)
    elif kind == "dict":
        free = list(value) if isinstance(value, dict) and "values_schema" in part else []
        yield from ((part["values_schema"], key) for key in free)
    elif kind in _ARRAYS:
        items = part.get("items_schema", ())
        for at in range(len(value) if isinstance(value, list) and items else 0):
            yield (items[min(at, len(items) - 1)] if isinstance(items, list) else items), at
    else:
        yield from ((inner, None) for inner in _passed_on(part))


def is_required(field: CoreSchema) -> bool:
    """Whether a field has no default."""
    if "required" in field:
        return bool(field["required"])
    return bool(field["schema"]["type"] != "default")  # Pydantic puts it around all validators


def _parts(schema: CoreSchema) -> Iterator[CoreSchema]:
    """Every schema inside a schema, itself included."""
    waiting: list[Any] = [schema]
    seen = set[int]()
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict) and id(part) not in seen:
            seen.add(id(part))
            is_schema = isinstance(part.get("type"), str)  # else names of fields, or tags, and their schemas
            if is_schema:
                yield part
            waiting.extend(value for key, value in part.items() if not (is_schema and key in _NOT_SCHEMAS))
        elif isinstance(part, (list, tuple)):
            waiting.extend(part)


Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes, from the root of the JSON."""

_THROUGH = frozenset({"definitions", "default", "nullable", "model", "dataclass", "function-after", *_INNER})
"""Schemas that hand the same JSON on as it is. A function in front may change it."""


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
        if bare.get("type") not in FIELDS:
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
                part = part[_INNER.get(part["type"], "schema")]
        return part

    @staticmethod
    def _inside(part: CoreSchema, step: str | int) -> CoreSchema | None:
        if part["type"] not in FIELDS:
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
