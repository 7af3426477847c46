"""What goes through decoded data and coerces the values of it; one node for each part of a type.

Each node takes a value, its location and what was found so far, and returns the value or, if something in it was
coerced, a changed copy. Data are as deep as the parser lets them be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

from src.shared.domain.coercion.coercion import Coercion, Doubt, Outcome, Read
from src.shared.domain.exceptions import json_path

Loc: TypeAlias = tuple[str | int, ...]
Reader: TypeAlias = Callable[[object], Outcome]


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
        """The value to go on with: the same object where nothing in it was coerced."""
        ...


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
        if not isinstance(value, dict):
            return value
        changed = {}
        for key, old in value.items():
            new = self.fields[key](old, (*loc, key), found) if key in self.fields else old
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
        if not isinstance(value, list):
            return value
        items = [self._item(at, item, loc, found) for at, item in enumerate(value)]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items

    def _item(self, at: int, item: Any, loc: Loc, found: Found) -> Any:  # noqa: ANN401 - decoded JSON
        node = self.first[at] if at < len(self.first) else self.rest
        return node(item, (*loc, at), found) if node else item


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
