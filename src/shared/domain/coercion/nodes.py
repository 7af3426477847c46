"""What goes through decoded data and coerces the values of it; one node for each part of a type.

Each node takes a value, its location and what was found so far, and returns the value or, if something in it was
coerced, a changed copy. What has parts returns a generator that asks for each of its parts and returns in the end:
data are nested deeper than Python's calls may be, so `run` keeps the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from types import GeneratorType
from typing import Any, NamedTuple, Protocol, TypeAlias

from src.shared.domain.coercion.coercion import Coercion, Doubt, Outcome, Read
from src.shared.domain.exceptions import json_path

Loc: TypeAlias = tuple[str | int, ...]
Reader: TypeAlias = Callable[[object], Outcome]
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


class Node(Protocol):
    """Coerces the value at one place of a type."""

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """The value to go on with, the same object where nothing in it was coerced; or the `Steps` to it."""
        ...


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


@dataclass(frozen=True)
class ScalarNode:
    """A value that one reader reads."""

    read: Reader

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Read it."""
        return found.taken(self.read(value), value, loc)


@dataclass(frozen=True)
class ObjectNode:
    """An object with fields of its own, by their keys."""

    fields: Mapping[str, Node]

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Coerce the fields that are there."""
        return self._steps(value, loc, found) if isinstance(value, dict) else value

    def _steps(self, value: Mapping[str, Any], loc: Loc, found: Found) -> Steps:
        changed = {}
        for key, old in value.items():
            if key not in self.fields:
                continue
            new = self.fields[key](old, (*loc, key), found)
            if isinstance(new, GeneratorType):
                new = yield new
            if new is not old:
                changed[key] = new
        return {**value, **changed} if changed else value


@dataclass(frozen=True)
class MappingNode:
    """An object whose keys are free."""

    values: Node

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Coerce all values."""
        return ObjectNode(dict.fromkeys(value, self.values))(value, loc, found) if isinstance(value, dict) else value


@dataclass(frozen=True)
class ListNode:
    """An array: nodes for its first elements, and one for the others."""

    first: Sequence[Node | None]
    rest: Node | None

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Coerce the elements."""
        return self._steps(value, loc, found) if isinstance(value, list) else value

    def _steps(self, value: Sequence[Any], loc: Loc, found: Found) -> Steps:
        items = list(value)
        for at, old in enumerate(value):
            node = self.first[at] if at < len(self.first) else self.rest
            new = node(old, (*loc, at), found) if node else old
            items[at] = (yield new) if isinstance(new, GeneratorType) else new
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items


@dataclass(frozen=True)
class ThenNode:
    """A reader of the whole value, and what goes into what it made."""

    read: Reader
    inner: Node

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Read the whole, then its parts."""
        return self.inner(found.taken(self.read(value), value, loc), loc, found)


@dataclass(frozen=True)
class ChosenNode:
    """Data of several types: the node that `choose` finds for the value."""

    choose: Callable[[Any], Node | None]

    def __call__(self, value: Any, loc: Loc, found: Found, /) -> Any:  # noqa: ANN401 - decoded JSON
        """Coerce it as the type that it is of; leave it where that is not plain."""
        node = self.choose(value)
        return node(value, loc, found) if node else value
