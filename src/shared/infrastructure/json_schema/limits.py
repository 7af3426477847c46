"""How large a schema may be, and that it is JSON: checked before anything else looks at it.

Validating costs up to the size of the schema for each value of a text, so these bounds hold for the text's cost too.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from src.shared.domain.language import Message
from src.shared.infrastructure.json_schema.schema_error import PLACE_LIMIT, ROOT, JsonSchemaError

MAX_VALUES = 20_000
"""JSON values of a schema together, its keywords' objects and arrays included."""
MAX_CHARACTERS = 1_000_000
"""Characters of its keys and strings together."""
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
            raise _too_large(place, MAX_LEVELS, "层嵌套", "levels of nesting")
        for key, member in _members(place, value):
            characters += len(key) if isinstance(key, str) else 0
            waiting.append((step_of(place, key) if len(place) < PLACE_LIMIT else place, member, level + 1))
            if values + len(waiting) > MAX_VALUES:
                raise _too_large(ROOT, MAX_VALUES, "个 JSON 值", "JSON values")
        if characters > MAX_CHARACTERS:
            raise _too_large(ROOT, MAX_CHARACTERS, "个字符", "characters")


def _members(place: str, value: object) -> Iterator[tuple[str | int, object]]:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise _not_json(place, _ODD_KEY)
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
    elif type(value) not in _ATOMS:
        raise _not_json(place, type(value).__name__)
    elif isinstance(value, float) and not isfinite(value):
        raise _not_json(place, str(value))


def check_enum(place: str, values: list[Any]) -> None:
    """Check the size of one `enum`.

    Raises:
        JsonSchemaError: it is too large.
    """
    if len(values) > MAX_ENUM:
        raise _too_large(place, MAX_ENUM, "个枚举值", "values in one enum")
    if sum(isinstance(value, (float, dict, list)) for value in values) > MAX_SLOW_ENUM:
        raise _too_large(place, MAX_SLOW_ENUM, "个小数、对象或数组枚举值", "fractions, objects and arrays in one enum")


def _too_large(place: str, limit: int, what_zh: str, what: str) -> JsonSchemaError:
    message = Message(f"Schema 过大：最多 {limit:,} {what_zh}", f"too large: at most {limit:,} {what}")
    return JsonSchemaError(place, message)


def _not_json(place: str, what: str) -> JsonSchemaError:
    return JsonSchemaError(place, Message(f"不是 JSON：{what}", f"not JSON: {what}"))
