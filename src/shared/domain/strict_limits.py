"""How large a strict schema may be, and the error of a type that cannot be held to strictly.

The limits are those that OpenAI documents (guide "Structured Outputs", section "Limitations", as of November 2026).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from src.shared.domain.language import Message

Schema = dict[str, Any]

MAX_PROPERTIES = 5_000
"""Properties of all objects together, those of a definition once."""
MAX_DEPTH = 10
"""Objects inside each other; a type inside itself is counted once."""
MAX_ENUM_VALUES = 1_000
"""Values of all enums together."""
MAX_NAMES = 120_000
"""Characters of the names of properties and definitions, and of the values of enums and constants, together."""
LARGE_ENUM = 250
"""Strings; an enum of more has the next limit, too."""
MAX_LARGE_ENUM_TEXT = 15_000
"""Characters of the values of one large enum."""

ANSWER = "$"
"""The path of the answer itself."""
DEFINITIONS = "#/$defs/"
"""What a reference to a definition begins with."""


class NotStrictError(ValueError):
    """A type cannot be held to strictly by a provider.

    Attributes:
        path: where in the answer, such as `$.items[].price`; `$` is the answer itself.
        reason: why.

    .. versionadded:: 0.1.0
    """

    def __init__(self, path: str, reason: Message) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        """The place, and the reason in the language that is asked for."""
        return f"{self.path}: {self.reason.text()}"


def check_limits(schema: Schema) -> None:
    """Check the size of a strict schema.

    Raises:
        NotStrictError: it is larger than a provider takes.
    """
    parts = list(_parts(schema))
    properties = [name for part in parts for name in part.get("properties", ())]
    enums: list[list[object]] = [part["enum"] for part in parts if "enum" in part]
    constants = [part["const"] for part in parts if "const" in part]
    names = [*properties, *schema.get("$defs", ()), *constants, *(value for values in enums for value in values)]
    _at_most(MAX_PROPERTIES, len(properties), "个属性", "properties")
    _at_most(MAX_ENUM_VALUES, sum(map(len, enums)), "个枚举值", "enum values")
    _at_most(MAX_NAMES, _characters(names), "个名称字符", "characters of names and values")
    for values in enums:
        if len(values) > LARGE_ENUM:
            _at_most(MAX_LARGE_ENUM_TEXT, _characters(values), "个字符的枚举", "characters of values in one enum")
    _at_most(MAX_DEPTH, _depth(schema), "层对象嵌套", "objects inside each other")


def _at_most(limit: int, count: int, what_zh: str, what: str) -> None:
    if count > limit:
        reason = Message(f"有 {count} {what_zh}，最多 {limit}", f"{count} {what}, at most {limit}")
        raise NotStrictError(ANSWER, reason)


def _characters(values: list[object]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _parts(schema: Schema) -> Iterator[Schema]:
    """Every schema inside a strict schema, itself included, each definition once."""
    yield schema
    for part in (*schema.get("$defs", {}).values(), *_inner(schema)):
        yield from _parts(part)


def _inner(schema: Schema) -> Iterator[Schema]:
    yield from schema.get("properties", {}).values()
    yield from schema.get("anyOf", ())
    if "items" in schema:
        yield schema["items"]


def _depth(schema: Schema) -> int:
    """Objects inside each other, at most; a type inside itself adds nothing."""
    definitions: dict[str, Schema] = schema.get("$defs", {})
    known: dict[str, int] = {}
    waiting = [(name, False) for name in _referred_to(schema)]
    begun = set[str]()
    while waiting:
        name, has_inner = waiting.pop()
        if has_inner:
            known[name] = _own_depth(definitions[name], known)
        elif name not in begun:
            begun.add(name)
            waiting.append((name, True))
            waiting += [(inner, False) for inner in _referred_to(definitions[name])]
    return _own_depth(schema, known)


def _own_depth(schema: Schema, known: Mapping[str, int]) -> int:
    if "$ref" in schema:
        return known.get(schema["$ref"].removeprefix(DEFINITIONS), 0)
    deepest = max((_own_depth(part, known) for part in _inner(schema)), default=0)
    return deepest + ("properties" in schema)


def _referred_to(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].removeprefix(DEFINITIONS)
    for part in _inner(schema):
        yield from _referred_to(part)
