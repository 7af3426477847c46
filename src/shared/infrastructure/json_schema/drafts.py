"""What a schema may be: its drafts, the limits of its size, and the error of one that cannot be taken.

Those drafts are taken in which the keywords mean what they mean in 2020-12; what a draft says differently is refused,
with how 2020-12 says it. That a schema is JSON, and its size, are checked before anything else looks at it: validating
costs up to the size of the schema for each value of a text, so these bounds hold for the text's cost too.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import ROOT, pointer_to

PLACE_LIMIT = 200
"""Characters of a place in the schema that an error shows."""


class JsonSchemaError(ValueError):
    """A JSON Schema cannot be taken as a type.

    Attributes:
        place: where in the schema, as a JSON pointer such as `#/properties/name`; `#` is the schema itself.
        reason: why.

    .. versionadded:: 0.1.0
    """

    def __init__(self, place: str, reason: Message) -> None:
        super().__init__(place, reason)
        self.place = one_line(place, PLACE_LIMIT)
        self.reason = reason

    def __str__(self) -> str:
        """The place, and the reason in the language that is asked for."""
        return f"{self.place}: {self.reason.text()}"


MAX_VALUES = 20_000
"""JSON values of a schema together, its keywords' objects and arrays included."""
MAX_CHARACTERS = 1_000_000
"""Characters of its keys and strings together."""
MAX_BITS = 2_000
"""Bits of an integer: 602 digits. Python may be told to write no more than 640."""
MAX_LEVELS = 100
"""Objects and arrays inside each other."""
MAX_ENUM = 5_000
"""Values of one `enum`."""
MAX_SLOW_ENUM = 20
"""Of them, numbers with a fraction, objects and arrays: each costs microseconds for every value of a text."""

_ATOMS = frozenset({str, int, float, bool, type(None)})


def too_large(place: str, limit: int, what: Message) -> JsonSchemaError:
    """The error of a schema that has more of something than is taken."""
    return JsonSchemaError(place, Phrase("too large: at most {limit:,} {what}", limit=limit, what=what))


def check_limits(schema: dict[str, Any]) -> None:
    """Check a schema's size, and that all of it is JSON. Linear in the size, which is never exceeded by much.

    Raises:
        JsonSchemaError: it is too large, or no JSON.
    """
    values = characters = 0
    waiting: list[tuple[str, object, int]] = [(ROOT, schema, 1)]
    while waiting:
        place, value, level = waiting.pop()
        values += 1
        characters += len(value) if isinstance(value, str) else 0
        members: Iterable[tuple[Any, object]] = ()
        if isinstance(value, (dict, list)):
            if level > MAX_LEVELS:
                raise too_large(place, MAX_LEVELS, Phrase("levels of nesting"))
            members = value.items() if isinstance(value, dict) else enumerate(value)
        else:
            _check_scalar(place, value)
        for key, member in members:
            if isinstance(value, dict) and not isinstance(key, str):
                raise JsonSchemaError(place, Phrase("not JSON: {what}", what="a key that is no string"))
            characters += len(key) if isinstance(key, str) else 0
            waiting.append((pointer_to(place, (key,)) if len(place) < PLACE_LIMIT else place, member, level + 1))
            if values + len(waiting) > MAX_VALUES:
                raise too_large(ROOT, MAX_VALUES, Phrase("JSON values"))
        if characters > MAX_CHARACTERS:
            raise too_large(ROOT, MAX_CHARACTERS, Phrase("schema|characters"))


def _check_scalar(place: str, value: object) -> None:
    is_infinite = isinstance(value, float) and not isfinite(value)
    if type(value) not in _ATOMS or is_infinite:
        raise JsonSchemaError(
            place, Phrase("not JSON: {what}", what=str(value) if is_infinite else type(value).__name__)
        )
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise too_large(place, MAX_BITS, Phrase("bits of an integer"))


DEFAULT = "https://json-schema.org/draft/2020-12/schema"
_SINCE_2020_12 = frozenset({"prefixItems"})
_SINCE_2019_09 = frozenset({"dependentSchemas", "minContains", "maxContains", "unevaluatedProperties"})
_SINCE_2019_09 |= {"unevaluatedItems", *_SINCE_2020_12}
_SINCE_07 = _SINCE_2019_09 | {"if", "then", "else"}
_DRAFTS = {
    DEFAULT: ("Draft202012Validator", frozenset[str]()),
    "https://json-schema.org/draft/2019-09/schema": ("Draft201909Validator", _SINCE_2020_12),
    "http://json-schema.org/draft-07/schema": ("Draft7Validator", _SINCE_2019_09),
    "http://json-schema.org/draft-06/schema": ("Draft6Validator", _SINCE_07),
}
"""The validator of each draft and what it ignores, by what `$schema` says, without a `#` at the end."""
_OLD = ("Draft7Validator", "Draft6Validator")
_DYNAMIC = ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")
_BESIDE_A_REF = frozenset(
    {"$ref", "title", "description", "default", "examples", "$comment", "readOnly", "writeOnly", "deprecated"}
    | {"definitions", "$defs", "$schema", "$id"}
)
"""What may stand beside a `$ref` in draft-07 and earlier, where everything else is ignored."""


class SchemaDialect(NamedTuple):
    """A draft of JSON Schema.

    Attributes:
        uri: what `$schema` says for it.
        validator: the name of its validator.
        ignored: keywords that hold schemas, or ask something of them, in later drafts only.
    """

    uri: str
    validator: str
    ignored: frozenset[str]

    def check(self, schema: dict[str, Any], place: str) -> None:
        """Check one schema, apart from the schemas inside it.

        Raises:
            JsonSchemaError: it says something that is not taken.
        """
        enum = schema.get("enum", ())
        if len(enum) > MAX_ENUM:
            raise too_large(pointer_to(place, ("enum",)), MAX_ENUM, Phrase("values in one enum"))
        if sum(isinstance(value, (float, dict, list)) for value in enum) > MAX_SLOW_ENUM:
            what = Phrase("fractions, objects and arrays in one enum")
            raise too_large(pointer_to(place, ("enum",)), MAX_SLOW_ENUM, what)
        for keyword in _DYNAMIC:
            if keyword in schema:
                raise JsonSchemaError(place, Phrase("{keyword} is not supported: use $ref", keyword=keyword))
        for keyword in ("$id", "$schema") if place != ROOT else ():
            if keyword in schema:
                raise JsonSchemaError(place, Phrase("{keyword} is not supported inside a schema", keyword=keyword))
        if self.validator in _OLD and "$ref" in schema and not schema.keys() <= _BESIDE_A_REF:
            reason = Phrase("this draft ignores what stands beside a $ref: declare 2020-12, or use allOf")
            raise JsonSchemaError(place, reason)
        if isinstance(schema.get("items"), list):
            raise JsonSchemaError(place, Phrase("items is an array: declare 2020-12 and use prefixItems"))


def dialect_of(schema: dict[str, Any]) -> SchemaDialect:
    """The draft that a schema declares, 2020-12 where it declares none.

    Raises:
        JsonSchemaError: it declares another one.
    """
    declared = schema.get("$schema", DEFAULT)
    uri = str(declared).removesuffix("#")
    if uri not in _DRAFTS:
        reason = Phrase(
            "$schema {declared} is not supported; these are: {supported}",
            declared=one_line(str(declared), 80),
            supported=", ".join(_DRAFTS),
        )
        raise JsonSchemaError(pointer_to(ROOT, ("$schema",)), reason)
    return SchemaDialect(uri, *_DRAFTS[uri])
