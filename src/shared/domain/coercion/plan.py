"""Works out of a type's core schema what may be coerced in its data, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from src.shared.domain.coercion.choices import EVERYTHING, Choice, Leave, choices_of
from src.shared.domain.coercion.nodes import (
    ChosenNode,
    Found,
    ListNode,
    Loc,
    MappingNode,
    Node,
    ObjectNode,
    ScalarNode,
    ThenNode,
)
from src.shared.domain.coercion.value_reader import LISTS, OBJECTS, value_reader
from src.shared.domain.type_shapes import CoreSchema, definitions_of, fields_of, is_required

_ARRAYS = LISTS | {"tuple"}


def plan_of(schema: CoreSchema, *, everything: bool) -> Node | None:
    """What coerces the data of a type; None where there is nothing to coerce.

    Args:
        schema: the type's core schema.
        everything: whether any field may be coerced, not only those that are marked as `Lenient`.
    """
    return _Planner(definitions_of(schema)).node(_unwrapped(schema), EVERYTHING if everything else None)


def _unwrapped(schema: CoreSchema) -> CoreSchema:
    return schema["schema"] if schema["type"] == "definitions" else schema


class _Planner:
    def __init__(self, definitions: Mapping[str, CoreSchema]) -> None:
        self._definitions = definitions
        self._objects: dict[tuple[int, Leave | None], _LaterNode] = {}

    def node(self, schema: CoreSchema, leave: Leave | None) -> Node | None:
        """What coerces the values of one place."""
        choices = list(choices_of(schema, self._definitions, leave))
        items = [one for choice in choices for one in self._item_choices(choice)]
        read = value_reader(choices, items)
        inner = self._inside(choices)
        if read and inner:
            return ThenNode(read, inner)
        return ScalarNode(read) if read else inner

    def _item_choices(self, choice: Choice) -> list[Choice]:
        if choice.kind not in LISTS or "items_schema" not in choice.schema:
            return []
        return list(choices_of(choice.schema["items_schema"], self._definitions, choice.inside))

    def _inside(self, choices: Sequence[Choice]) -> Node | None:
        """What coerces the parts of an object or an array, where it is plain of which type they are."""
        objects = [choice for choice in choices if choice.kind in OBJECTS]
        arrays = [choice for choice in choices if choice.kind in _ARRAYS]
        of_object = self._object(objects[0]) if len(objects) == 1 else self._one_of(objects)
        of_array = self._array(arrays[0]) if len(arrays) == 1 else None
        if of_object and of_array:
            return ChosenNode(lambda value: of_object if isinstance(value, dict) else of_array)
        return of_object or of_array

    def _one_of(self, objects: Sequence[Choice]) -> Node | None:
        """The one of several objects whose fields are all there and no others."""
        known = [(self._object(choice), _Keys.of(choice.schema)) for choice in objects]

        def choose(value: Any) -> Node | None:  # noqa: ANN401 - decoded JSON
            fitting = [node for node, keys in known if isinstance(value, dict) and keys.fit(value)]
            return fitting[0] if len(fitting) == 1 else None

        return ChosenNode(choose) if known else None

    def _array(self, choice: Choice) -> Node | None:
        schema = choice.schema
        if choice.kind in LISTS:
            rest = self.node(schema["items_schema"], choice.inside) if "items_schema" in schema else None
            return ListNode((), rest) if rest else None
        nodes = [self.node(item, choice.inside) for item in schema["items_schema"]]
        if schema.get("variadic_item_index") == 0 and len(nodes) == 1:
            return ListNode((), nodes[0])
        return ListNode(nodes, None) if "variadic_item_index" not in schema else None

    def _object(self, choice: Choice) -> Node | None:
        schema, leave = choice.schema, choice.inside
        if choice.kind == "dict":
            values = self.node(schema["values_schema"], leave) if "values_schema" in schema else None
            return MappingNode(values) if values else None
        if choice.kind == "tagged-union":
            return self._tagged(choice)
        known = (id(schema), leave)
        if known not in self._objects:
            later = self._objects[known] = _LaterNode()
            fields = _fields_schema(schema)
            later.node = self._fields(fields, leave) if fields else None
        return self._objects[known]

    def _fields(self, schema: CoreSchema, leave: Leave | None) -> Node:
        nodes = [(_keys_of(name, field), self.node(field["schema"], leave)) for name, field in fields_of(schema)]
        return ObjectNode({key: node for keys, node in nodes if node for key in keys})

    def _tagged(self, choice: Choice) -> Node | None:
        tag = choice.schema["discriminator"]
        if not isinstance(tag, str):
            return None
        nodes = {key: self.node(schema, choice.leave) for key, schema in choice.schema["choices"].items()}

        def choose(value: Any) -> Node | None:  # noqa: ANN401 - decoded JSON
            said = value.get(tag) if isinstance(value, dict) else None
            return nodes.get(said) if isinstance(said, str) else None

        return ChosenNode(choose)


class _LaterNode:
    """The node of an object that may hold others of its own type."""

    node: Node | None = None

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Coerce what is in it."""
        return self.node(value, loc, found) if self.node else value


_WITH_FIELDS = frozenset({"model-fields", "typed-dict", "dataclass-args"})


def _fields_schema(schema: CoreSchema) -> CoreSchema | None:
    """The part of an object's schema that has its fields; None where a validator of its own stands in front."""
    while schema["type"] not in _WITH_FIELDS:
        if schema["type"] not in ("model", "dataclass", "function-after"):
            return None
        schema = schema["schema"]
    return schema


class _Keys(NamedTuple):
    """The keys of an object: of each field those that it may stand under.

    Attributes:
        known: all of them.
        required: those of each required field.
    """

    known: frozenset[str]
    required: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, schema: CoreSchema) -> _Keys:
        """Those of an object's schema; none where its fields are not known."""
        part = _fields_schema(schema) if schema["type"] not in ("dict", "tagged-union") else None
        fields = [(frozenset(_keys_of(name, field)), field) for name, field in fields_of(part)] if part else []
        known = frozenset[str]().union(*(keys for keys, _ in fields))
        return cls(known, tuple(keys for keys, field in fields if is_required(field)))

    def fit(self, value: Mapping[str, Any]) -> bool:
        """Whether an object has all required fields and no unknown keys."""
        return self.known >= value.keys() and all(not keys.isdisjoint(value) for keys in self.required)


def _keys_of(name: str, field: CoreSchema) -> Iterator[str]:
    """The keys that hold a field's whole value: no paths into another value."""
    yield name
    alias = field.get("validation_alias", ())
    paths = [[alias]] if isinstance(alias, str) else alias if alias and isinstance(alias[0], list) else [alias]
    yield from (path[0] for path in paths if len(path) == 1)
