"""Works out of a type's core schema what may be coerced in its data, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from src.shared.domain.coercion.choices import EVERYTHING, Choice, Keys, Leave, choices_of, fields_with_keys, tag_of
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
from src.shared.domain.coercion.value_reader import LISTS, OBJECTS, ReadJson, value_reader
from src.shared.domain.type_shapes import CoreSchema, definitions_of

_ARRAYS = LISTS | {"tuple"}


def plan_of(schema: CoreSchema, read_json: ReadJson, *, everything: bool) -> Node | None:
    """What coerces the data of a type; None where there is nothing to coerce.

    Args:
        schema: the type's core schema.
        read_json: reads a list or an object that was written as a string.
        everything: whether any field may be coerced, not only those that are marked as `Lenient`.
    """
    return _Planner(definitions_of(schema), read_json).node(_unwrapped(schema), EVERYTHING if everything else None)


def _unwrapped(schema: CoreSchema) -> CoreSchema:
    return schema["schema"] if schema["type"] == "definitions" else schema


class _Planner:
    def __init__(self, definitions: Mapping[str, CoreSchema], read_json: ReadJson) -> None:
        self._definitions = definitions
        self._read_json = read_json
        self._known: dict[tuple[int, Leave | None], Node | None] = {}

    def node(self, schema: CoreSchema, leave: Leave | None) -> Node | None:
        """What coerces the values of one place; a type may be inside itself."""
        known = (id(schema), leave)
        if known not in self._known:
            self._known[known] = later = _LaterNode()
            self._known[known] = later.node = self._made(schema, leave)
        return self._known[known]

    def _made(self, schema: CoreSchema, leave: Leave | None) -> Node | None:
        choices = list(choices_of(schema, self._definitions, leave))
        items = [one for choice in choices for one in self._item_choices(choice)]
        read = value_reader(choices, items, self._read_json)
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
        known = [(self._object(choice), Keys.of(choice)) for choice in objects]

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
        fields = [(keys, self.node(field["schema"], leave)) for keys, field in fields_with_keys(schema)]
        return ObjectNode({key: node for keys, node in fields if node for key in keys}) if fields else None

    def _tagged(self, choice: Choice) -> Node:
        choices = choice.schema["choices"].items()
        nodes = {
            key.value if isinstance(key, Enum) else key: self.node(schema, choice.leave) for key, schema in choices
        }

        def choose(value: Any) -> Node | None:  # noqa: ANN401 - decoded JSON
            tag = tag_of(choice, value)
            return nodes.get(tag) if isinstance(tag, (str, int)) else None

        return ChosenNode(choose)


class _LaterNode:
    """The node of a type inside itself."""

    node: Node | None = None

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Coerce what is in it."""
        return self.node(value, loc, found) if self.node else value
