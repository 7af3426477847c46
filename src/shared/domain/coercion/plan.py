"""Works out of a type's core schema what may be coerced in its data, and where; one node for each part of the type.

Each node takes a value, its location and what was found so far, and returns the value or, if something in it was
coerced, a changed copy. What has parts returns a generator that asks for each of its parts and returns in the end:
data are nested deeper than Python's calls may be, so `run` keeps the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from types import GeneratorType
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.coercion.choices import EVERYTHING, Choice, Keys, choices_of, fields_with_keys, tag_of
from src.shared.domain.coercion.coercion import Coercion, Doubt, Outcome, Read, Reader
from src.shared.domain.coercion.lenient import Lenient
from src.shared.domain.coercion.value_reader import LISTS, OBJECTS, ReadJson, value_reader
from src.shared.domain.exceptions import json_path
from src.shared.domain.type_shapes import CoreSchema, definitions_of

Loc: TypeAlias = tuple[str | int, ...]
Steps: TypeAlias = Generator[Any, Any, Any]
"""Yields the steps of a part, is sent its value, and returns the whole."""


class Doubtful(NamedTuple):
    """A value that could not be coerced, and why."""

    loc: Loc
    doubt: Doubt
    value: Any


@dataclass
class Found:
    """What was coerced in some data, and what could not be."""

    coercions: list[Coercion] = field(default_factory=list)
    doubts: list[Doubtful] = field(default_factory=list)

    def taken(self, outcome: Outcome, value: object, loc: Loc) -> Any:  # noqa: ANN401 - decoded JSON
        """The value to go on with."""
        if isinstance(outcome, Read):
            self.coercions.append(Coercion(outcome.kind, json_path(loc), value, outcome.after))
            return outcome.after
        if outcome is not None:
            self.doubts.append(Doubtful(loc, outcome, value))
        return value


Node: TypeAlias = Callable[[Any, Loc, Found], Any]
"""Coerces the value at one place of a type: returns the value to go on with, the same object where nothing in it was
coerced; or the `Steps` to it."""


def run(node: Node, data: Any, found: Found) -> Any:  # noqa: ANN401 - decoded JSON
    """The data after coercion."""
    result = node(data, (), found)
    waiting: list[Steps] = []
    while True:
        if isinstance(result, GeneratorType):
            waiting.append(result)
            sent = None
        elif waiting:
            sent = result
        else:
            return result
        try:
            result = waiting[-1].send(sent)
        except StopIteration as done:
            waiting.pop()
            result = done.value


def _scalar(read: Reader, value: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - decoded JSON
    return found.taken(read(value), value, loc)


def _object(fields: Mapping[str, Node], value: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - as above
    return _members(fields, value, loc, found) if isinstance(value, dict) else value


def _members(fields: Mapping[str, Node], value: Mapping[str, Any], loc: Loc, found: Found) -> Steps:
    changed = {}
    for key, old in value.items():
        if key not in fields:
            continue
        new = fields[key](old, (*loc, key), found)
        if isinstance(new, GeneratorType):
            new = yield new
        if new is not old:
            changed[key] = new
    return {**value, **changed} if changed else value


def _mapping(values: Node, value: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - as above
    """An object whose keys are free."""
    return _members(dict.fromkeys(value, values), value, loc, found) if isinstance(value, dict) else value


def _array(first: Sequence[Node | None], rest: Node | None, value: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - as above
    """An array with nodes for its first elements, and one for the others."""
    return _elements(first, rest, value, loc, found) if isinstance(value, list) else value


def _elements(first: Sequence[Node | None], rest: Node | None, value: Sequence[Any], loc: Loc, found: Found) -> Steps:
    items = list(value)
    for at, old in enumerate(value):
        node = first[at] if at < len(first) else rest
        new = node(old, (*loc, at), found) if node else old
        items[at] = (yield new) if isinstance(new, GeneratorType) else new
    return value if all(new is old for new, old in zip(items, value, strict=True)) else items


def _then(read: Reader, inner: Node, value: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - as above
    """A reader of the whole value, and what goes into what it made."""
    return inner(found.taken(read(value), value, loc), loc, found)


def _chosen(choose: Callable[[Any], Node | None], value: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - as above
    """Data of several types, coerced as the one that they are plainly of."""
    node = choose(value)
    return node(value, loc, found) if node else value


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
        self._known: dict[tuple[int, Lenient | None], Node | None] = {}

    def node(self, schema: CoreSchema, leave: Lenient | None) -> Node | None:
        """What coerces the values of one place; a type may be inside itself."""
        known = (id(schema), leave)
        if known not in self._known:
            self._known[known] = later = _LaterNode()
            self._known[known] = later.node = self._made(schema, leave)
        return self._known[known]

    def _made(self, schema: CoreSchema, leave: Lenient | None) -> Node | None:
        choices = list(choices_of(schema, self._definitions, leave))
        items = [one for choice in choices for one in self._item_choices(choice)]
        read = value_reader(choices, items, self._read_json)
        inner = self._inside(choices)
        if read and inner:
            return partial(_then, read, inner)
        return partial(_scalar, read) if read else inner

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
            return partial(_chosen, lambda value: of_object if isinstance(value, dict) else of_array)
        return of_object or of_array

    def _one_of(self, objects: Sequence[Choice]) -> Node | None:
        """The one of several objects whose fields are all there and no others."""
        known = [(self._object(choice), Keys.of(choice)) for choice in objects]

        def choose(value: Any) -> Node | None:  # noqa: ANN401 - decoded JSON
            fitting = [node for node, keys in known if isinstance(value, dict) and keys.fit(value)]
            return fitting[0] if len(fitting) == 1 else None

        return partial(_chosen, choose) if known else None

    def _array(self, choice: Choice) -> Node | None:
        schema = choice.schema
        if choice.kind in LISTS:
            rest = self.node(schema["items_schema"], choice.inside) if "items_schema" in schema else None
            return partial(_array, (), rest) if rest else None
        nodes = [self.node(item, choice.inside) for item in schema["items_schema"]]
        if schema.get("variadic_item_index") == 0 and len(nodes) == 1:
            return partial(_array, (), nodes[0])
        return partial(_array, nodes, None) if "variadic_item_index" not in schema else None

    def _object(self, choice: Choice) -> Node | None:
        schema, leave = choice.schema, choice.inside
        if choice.kind == "dict":
            values = self.node(schema["values_schema"], leave) if "values_schema" in schema else None
            return partial(_mapping, values) if values else None
        if choice.kind == "tagged-union":
            return self._tagged(choice)
        fields = [(keys, self.node(field["schema"], leave)) for keys, field in fields_with_keys(schema)]
        return partial(_object, {key: node for keys, node in fields if node for key in keys}) if fields else None

    def _tagged(self, choice: Choice) -> Node:
        choices = choice.schema["choices"].items()
        nodes = {
            key.value if isinstance(key, Enum) else key: self.node(schema, choice.leave) for key, schema in choices
        }

        def choose(value: Any) -> Node | None:  # noqa: ANN401 - decoded JSON
            tag = tag_of(choice, value)
            return nodes.get(tag) if isinstance(tag, (str, int)) else None

        return partial(_chosen, choose)


class _LaterNode:
    """The node of a type inside itself."""

    node: Node | None = None

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        return self.node(value, loc, found) if self.node else value
