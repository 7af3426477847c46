"""How large a strict schema may be: every limit at n and n + 1."""

from __future__ import annotations

from typing import Any

import pytest

from src.shared.domain import strict_schema as strict_limits
from src.shared.domain.language import Language
from src.shared.domain.strict_schema import NotStrictError, check_limits, strict_schema


def objects(names: list[str], of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, of), "required": names, "additionalProperties": False}


def numbered(count: int) -> dict[str, Any]:
    return objects([str(at) for at in range(count)], {"type": "string"})


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        inner = objects(["f"], {"type": "array", "items": {"anyOf": [inner]}})
    return inner


def nested_by_reference(depth: int) -> dict[str, Any]:
    """The root, and below it one definition inside the other, the last inside the first."""
    of = {at: {"$ref": f"#/$defs/D{at + 1}"} for at in range(depth - 1)} | {depth - 1: {"$ref": "#/$defs/D1"}}
    return {**objects(["f"], of[0]), "$defs": {f"D{at}": objects(["f"], of[at]) for at in range(1, depth)}}


def enum(count: int, length: int = 1) -> dict[str, Any]:
    return objects(["f"], {"type": "string", "enum": ["x" * length] * count})


def names(length: int) -> dict[str, Any]:
    """As many characters in names and values: of a property, a definition, an enum and a constant."""
    words = objects(
        ["a" * (length - 3)], {"anyOf": [{"type": "string", "const": "c"}, {"type": "string", "enum": ["d"]}]}
    )
    return {**words, "$defs": {"e": {"type": "string"}}}


LIMITS = [
    (numbered, strict_limits.MAX_PROPERTIES, "properties"),
    (nested, strict_limits.MAX_DEPTH, "objects inside each other"),
    (nested_by_reference, strict_limits.MAX_DEPTH, "objects inside each other"),
    (enum, strict_limits.MAX_ENUM_VALUES, "enum values"),
    (names, strict_limits.MAX_NAMES, "characters of names and values"),
    (lambda length: enum(251, length), strict_limits.MAX_LARGE_ENUM_TEXT // 251, "characters of values in one enum"),
]


@pytest.mark.parametrize(("schema_of", "limit", "what"), LIMITS, ids=[what for *_, what in LIMITS])
def test_limit_is_taken_and_one_more_is_refused(schema_of: Any, limit: int, what: str) -> None:  # noqa: ANN401 - a function
    check_limits(schema_of(limit))
    with pytest.raises(NotStrictError) as caught:
        check_limits(schema_of(limit + 1))
    assert (caught.value.path, what in caught.value.reason.text(Language.EN)) == ("$", True)


def test_large_enum_limit_holds_for_large_enums_only() -> None:
    check_limits(enum(strict_limits.LARGE_ENUM, 100))


def test_type_inside_itself_is_counted_once() -> None:
    check_limits(nested_by_reference(2))


def test_limits_are_checked_when_a_schema_is_made_strict() -> None:
    with pytest.raises(NotStrictError):
        strict_schema(nested(strict_limits.MAX_DEPTH + 1))
