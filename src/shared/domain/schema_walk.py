"""The schemas inside a JSON Schema. No other file lists the keywords that hold them.

The drafts from 6 on say the same with these keywords. A keyword that is not here holds no schema, whatever is in it:
`{"properties": {"$ref": {...}}}` has a property of that name and no reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator
from functools import reduce
from typing import Any, NamedTuple

Schema = dict[str, Any]

ROOT = "#"
"""The place of the schema itself."""
DEFINITIONS = "#/$defs/"
"""What a reference to a definition begins with, as Pydantic and strict modes write it."""
CHOICES = ("anyOf", "oneOf")

_LISTS = {"allOf": True, "anyOf": True, "oneOf": True, "prefixItems": False}
"""Keywords with a list of schemas, and whether these describe the same value as the schema they are in."""
_MAPS = {"dependentSchemas": True, "dependencies": True, "properties": False, "patternProperties": False}
_MAPS |= {"$defs": False, "definitions": False}
"""Keywords with schemas by keys."""
_SINGLE = dict.fromkeys(("not", "if", "then", "else"), True)
_SINGLE |= dict.fromkeys(("additionalProperties", "propertyNames", "unevaluatedProperties"), False)
_SINGLE |= dict.fromkeys(("items", "contains", "unevaluatedItems", "additionalItems", "contentSchema"), False)
"""Keywords with one schema."""
KEYWORDS = frozenset({**_LISTS, **_MAPS, **_SINGLE})
"""All of them."""


class Part(NamedTuple):
    """A schema inside a schema.

    Attributes:
        pointer: where it stands, as a JSON pointer.
        keyword: the keyword that holds it; empty for the root of a walk.
        key: its key or its index in that keyword; None where the keyword holds one schema.
        schema: the schema, which may be true or false.
        same_value: whether it describes the value that the outer one describes, and not a member of it.
    """

    pointer: str
    keyword: str
    key: str | int | None
    schema: Any
    same_value: bool


def pointer_to(place: str, path: Iterable[str | int]) -> str:
    """The JSON pointer of what a path from a place leads to."""
    return reduce(lambda to, key: f"{to}/{str(key).replace('~', '~0').replace('/', '~1')}", path, place)


def parts_of(schema: Schema, pointer: str = ROOT, keywords: Collection[str] = KEYWORDS) -> Iterator[Part]:
    """The schemas directly inside a schema that stands at a pointer, in a fixed order."""
    for table in (_LISTS, _MAPS, _SINGLE):
        for keyword, same_value in table.items():
            if keyword not in schema or keyword not in keywords:
                continue
            held, place = schema[keyword], f"{pointer}/{keyword}"
            if table is _SINGLE:
                yield Part(place, keyword, None, held, same_value)
                continue
            for key, inner in enumerate(held) if table is _LISTS else held.items():
                if not (keyword == "dependencies" and isinstance(inner, list)):  # which are names of keys
                    yield Part(pointer_to(place, (key,)), keyword, key, inner, same_value)


def walk(
    schema: Any,  # noqa: ANN401 - a schema may be true or false
    pointer: str = ROOT,
    keywords: Collection[str] = KEYWORDS,
    known: Container[str] = (),
) -> Iterator[Part]:
    """A schema and all schemas inside it, an outer one before its inner ones; references are not followed.

    What is inside a schema is looked at after that schema is taken from the iterator.

    Args:
        schema: where the walk begins.
        pointer: where that stands.
        keywords: the keywords that are looked into.
        known: pointers of schemas that are left out, with all that is inside them.
    """
    waiting = [Part(pointer, "", None, schema, same_value=False)]
    while waiting:
        part = waiting.pop()
        if part.pointer not in known:
            yield part
            if isinstance(part.schema, dict):
                waiting += reversed([*parts_of(part.schema, part.pointer, keywords)])


def with_parts(schema: Schema, change: Callable[[Any], Any], keywords: Collection[str] = KEYWORDS) -> Schema:
    """A copy of a schema in which each schema directly inside it is changed."""
    copy = schema.copy()
    for part in parts_of(schema, ROOT, keywords):
        changed = change(part.schema)
        if part.key is None:
            copy[part.keyword] = changed
            continue
        if copy[part.keyword] is schema[part.keyword]:
            copy[part.keyword] = schema[part.keyword].copy()
        copy[part.keyword][part.key] = changed
    return copy
