"""The keywords of JSON Schema that hold schemas.

The drafts from 6 on say the same with them, apart from what `drafts.py` refuses. A keyword that is not here holds no
schema, whatever is in it: `{"properties": {"$ref": {...}}}` has a property of that name and no reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Schema = dict[str, Any]

ALTERNATIVES = ("anyOf", "oneOf")
_LISTS = {"allOf": True, "anyOf": True, "oneOf": True, "prefixItems": False}
"""Keywords with a list of schemas, and whether these are applied to the same value as the schema they are in."""
_MAPS = {"dependentSchemas": True, "dependencies": True, "properties": False, "patternProperties": False}
_MAPS |= {"$defs": False, "definitions": False}
"""Keywords with schemas by keys."""
_SINGLE = dict.fromkeys(("not", "if", "then", "else"), True)
_SINGLE |= dict.fromkeys(("additionalProperties", "propertyNames", "unevaluatedProperties"), False)
_SINGLE |= dict.fromkeys(("items", "contains", "unevaluatedItems", "additionalItems", "contentSchema"), False)
"""Keywords with one schema."""


class Part(NamedTuple):
    """A schema inside a schema.

    Attributes:
        path: the keyword, and the key or index within it.
        schema: the schema, which may be true or false.
        same_value: whether it is applied to the value that the outer one is applied to, and not to a member of it.
    """

    path: tuple[str | int, ...]
    schema: Any
    same_value: bool


def parts_of(schema: Schema) -> Iterator[Part]:
    """The schemas directly inside a schema, in a fixed order."""
    for keyword, same_value in _LISTS.items():
        for at, inner in enumerate(schema.get(keyword, ())):
            yield Part((keyword, at), inner, same_value)
    for keyword, same_value in _MAPS.items():
        for key, inner in schema.get(keyword, {}).items():
            if not isinstance(inner, list):  # `dependencies` may name keys
                yield Part((keyword, key), inner, same_value)
    for keyword, same_value in _SINGLE.items():
        if keyword in schema:
            yield Part((keyword,), schema[keyword], same_value)
