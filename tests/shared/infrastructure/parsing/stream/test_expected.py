"""What a type says of its values, by which a stream sees where a bracket or a key may be another object's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.answer_type import AnswerType
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.parsing.expected import Expected, expected_of
from tests.tables.types import Signed


class Job(BaseModel):
    """It has no JSON Schema."""

    run: Callable[[], None]


def schema(**members: Any) -> JsonSchema:  # noqa: ANN401 - of a schema
    return JsonSchema({"type": "object", "properties": {"a": {"type": "object"}, **members}})


@pytest.mark.parametrize(
    ("dto_type", "path", "kinds", "names"),
    [
        (Signed, (), "object", "author authors by_name pair kind other tags title"),
        (Signed, ("author",), "object", "name mail"),
        (Signed, ("authors",), "array", ""),
        (Signed, ("authors", 3), "object", "name mail"),
        (Signed, ("by_name", "x"), "object", "name mail"),
        (Signed, ("pair", 1), "object", "name mail"),
        (Signed, ("pair", 2), "object array", ""),
        (Signed, ("kind",), "", ""),
        (Signed, ("other", "other", "author"), "object", "name mail"),
        (Signed, ("no field",), "object array", ""),
        (Signed, ("title", "x"), "object array", ""),
        (Job, (), "object array", ""),
        (schema(b={"const": {"c": 1}}), ("b",), "object", ""),
        (schema(b={"enum": [[1], 2]}), ("b",), "array", ""),
        (schema(b={"type": ["array", "null"]}), ("b",), "array", ""),
        (schema(b={"allOf": [{"type": "string"}]}), ("b",), "object array", ""),
        (schema(b={"anyOf": [{"type": "string"}], "minLength": 1}), ("b",), "object array", ""),
        (schema(b={"type": "array", "items": False}), ("b", 0), "object array", ""),
    ],
)
def test_type_says_of_a_value(dto_type: AnswerType[Any], path: tuple[str | int, ...], kinds: str, names: str) -> None:
    expected = expected_of(dto_type)
    for step in path:
        expected = expected.member(step) if isinstance(step, str) else expected.element(step)
    assert (expected.objects, expected.arrays) == ("object" in kinds, "array" in kinds)
    assert expected.names == frozenset(names.split())


def test_reference_to_itself_says_nothing() -> None:
    itself = {"$ref": "#"}
    assert not Expected([itself], itself, {}).objects


def test_type_inside_itself_is_looked_at_once() -> None:
    expected: Expected = expected_of(Signed).member("other")
    assert expected.member("other").member("other") is expected.member("other")
