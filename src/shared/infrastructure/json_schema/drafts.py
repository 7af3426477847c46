"""What a schema may be: its drafts, the limits of its size, and the error of one that cannot be taken.

Those drafts are taken in which the keywords mean what they mean in 2020-12; what a draft says differently is refused,
with how 2020-12 says it. That a schema is JSON, and its size, are checked before anything else looks at it: validating
costs up to the size of the schema for each value of a text, so these bounds hold for the text's cost too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from math import isfinite
from typing import Any, NamedTuple

from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line

ROOT = "#"
"""The place of the schema itself."""
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


def too_complex() -> JsonSchemaError:
    """The error of a schema that is small enough, but takes too long to look at."""
    reason = Phrase("too complex: its alternatives and references are too many together; simplify it")
    return JsonSchemaError(ROOT, reason)


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

_ODD_KEY = "a key that is no string"
_ATOMS = frozenset({str, int, float, bool, type(None)})


def step_of(place: str, key: str | int) -> str:
    """The JSON pointer of a member."""
    return f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}"


def pointer_to(place: str, path: Iterable[str | int]) -> str:
    """The JSON pointer of what a path from a place leads to."""
    return reduce(step_of, path, place)


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
        if level > MAX_LEVELS and isinstance(value, (dict, list)):
            raise _too_large(place, MAX_LEVELS, Phrase("levels of nesting"))
        for key, member in _members(place, value):
            characters += len(key) if isinstance(key, str) else 0
            waiting.append((step_of(place, key) if len(place) < PLACE_LIMIT else place, member, level + 1))
            if values + len(waiting) > MAX_VALUES:
                raise _too_large(ROOT, MAX_VALUES, Phrase("JSON values"))
        if characters > MAX_CHARACTERS:
            raise _too_large(ROOT, MAX_CHARACTERS, Phrase("schema|characters"))


def _members(place: str, value: object) -> Iterator[tuple[str | int, object]]:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise _not_json(place, _ODD_KEY)
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
    elif type(value) not in _ATOMS:
        raise _not_json(place, type(value).__name__)
    elif isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise _too_large(place, MAX_BITS, Phrase("bits of an integer"))
    elif isinstance(value, float) and not isfinite(value):
        raise _not_json(place, str(value))


def check_enum(place: str, values: list[Any]) -> None:
    """Check the size of one `enum`.

    Raises:
        JsonSchemaError: it is too large.
    """
    if len(values) > MAX_ENUM:
        raise _too_large(place, MAX_ENUM, Phrase("values in one enum"))
    if sum(isinstance(value, (float, dict, list)) for value in values) > MAX_SLOW_ENUM:
        raise _too_large(place, MAX_SLOW_ENUM, Phrase("fractions, objects and arrays in one enum"))


def _too_large(place: str, limit: int, what: Message) -> JsonSchemaError:
    message = Phrase("too large: at most {limit:,} {what}", limit=limit, what=what)
    return JsonSchemaError(place, message)


def _not_json(place: str, what: str) -> JsonSchemaError:
    return JsonSchemaError(place, Phrase("not JSON: {what}", what=what))


DEFAULT = "https://json-schema.org/draft/2020-12/schema"

VALIDATORS = {
    DEFAULT: "Draft202012Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
}
"""The validator of each draft, by what `$schema` says, without a `#` at the end."""
_DECLARED = f"{ROOT}/$schema"
_OLD = ("Draft7Validator", "Draft6Validator")

_DYNAMIC = ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")
_BESIDE_A_REF = frozenset(
    {"$ref", "title", "description", "default", "examples", "$comment", "readOnly", "writeOnly", "deprecated"}
    | {"definitions", "$defs", "$schema", "$id"}
)
"""What may stand beside a `$ref` in draft-07 and earlier, where everything else is ignored."""


class Draft(NamedTuple):
    """A draft of JSON Schema.

    Attributes:
        uri: what `$schema` says for it.
        validator: the name of its validator.
    """

    uri: str
    validator: str

    def refusals(self, schema: dict[str, Any], place: str, *, is_root: bool) -> Iterator[JsonSchemaError]:
        """What one schema says that is not taken."""
        if "enum" in schema:
            check_enum(f"{place}/enum", schema["enum"])
        for keyword in _DYNAMIC:
            if keyword in schema:
                yield JsonSchemaError(place, Phrase("{keyword} is not supported: use $ref", keyword=keyword))
        if not is_root:
            for keyword in ("$id", "$schema"):
                if keyword in schema:
                    inside = Phrase("{keyword} is not supported inside a schema", keyword=keyword)
                    yield JsonSchemaError(place, inside)
        if self.validator in _OLD and "$ref" in schema and not schema.keys() <= _BESIDE_A_REF:
            beside = Phrase("this draft ignores what stands beside a $ref: declare 2020-12, or use allOf")
            yield JsonSchemaError(place, beside)
        if isinstance(schema.get("items"), list):
            yield JsonSchemaError(place, Phrase("items is an array: declare 2020-12 and use prefixItems"))


def draft_of(schema: dict[str, Any]) -> Draft:
    """The draft that a schema declares, 2020-12 where it declares none.

    Raises:
        JsonSchemaError: it declares another one.
    """
    declared = schema.get("$schema", DEFAULT)
    uri = str(declared).removesuffix("#")
    if uri not in VALIDATORS:
        reason = Phrase(
            "$schema {declared} is not supported; these are: {supported}",
            declared=one_line(str(declared), 80),
            supported=", ".join(VALIDATORS),
        )
        raise JsonSchemaError(_DECLARED, reason)
    return Draft(uri, VALIDATORS[uri])
