"""What a type says of its values, by which a stream sees where a bracket or a key may be another object's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.answer_type import AnswerType
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.parsing.expected import Expected, expected_of


class Author(BaseModel):
    name: str
    mail: str | None = None


class Review(BaseModel):
    model_config = ConfigDict(extra="allow")

    author: Author
    authors: list[Author] = []
    by_name: dict[str, Author] = {}
    pair: tuple[int, Author] | None = None
    kind: Literal["a", "b"] = "a"
    tags: list[str] = []
    other: Review | None = None
    title: str = ""


def schema(**members: Any) -> JsonSchema:  # noqa: ANN401 - of a schema
    return JsonSchema({"type": "object", "properties": {"a": {"type": "object"}, **members}})


@pytest.mark.parametrize(
    ("dto_type", "path", "objects", "arrays", "names"),
    [
        (
            Review,
            (),
            True,
            False,
            frozenset({"author", "authors", "by_name", "pair", "kind", "other", "tags", "title"}),
        ),
        (Review, ("author",), True, False, frozenset({"name", "mail"})),
        (Review, ("authors",), False, True, frozenset()),
        (Review, ("authors", 3), True, False, frozenset({"name", "mail"})),
        (Review, ("by_name", "x"), True, False, frozenset({"name", "mail"})),
        (Review, ("pair", 1), True, False, frozenset({"name", "mail"})),
        (Review, ("pair", 2), True, True, frozenset()),
        (Review, ("kind",), False, False, frozenset()),
        (Review, ("other", "other", "author"), True, False, frozenset({"name", "mail"})),
        (Review, ("no field",), True, True, frozenset()),
        (Review, ("title", "x"), True, True, frozenset()),
        (schema(b={"const": {"c": 1}}), ("b",), True, False, frozenset()),
        (schema(b={"enum": [[1], 2]}), ("b",), False, True, frozenset()),
        (schema(b={"type": ["array", "null"]}), ("b",), False, True, frozenset()),
        (schema(b={"allOf": [{"type": "string"}]}), ("b",), True, True, frozenset()),
        (schema(b={"anyOf": [{"type": "string"}], "minLength": 1}), ("b",), True, True, frozenset()),
        (schema(b={"type": "array", "items": False}), ("b", 0), True, True, frozenset()),
    ],
)
def test_type_says_of_a_value(
    dto_type: AnswerType[Any],
    path: tuple[str | int, ...],
    objects: bool,  # noqa: FBT001 - a column of the table
    arrays: bool,  # noqa: FBT001 - as above
    names: frozenset[str],
) -> None:
    expected = expected_of(dto_type)
    for step in path:
        expected = expected.member(step) if isinstance(step, str) else expected.element(step)
    assert (expected.objects, expected.arrays, expected.names) == (objects, arrays, names)


def test_type_without_a_json_schema_says_nothing() -> None:
    class Job(BaseModel):
        run: Callable[[], None]

    assert (expected_of(Job).objects, expected_of(Job).arrays, expected_of(Job).names) == (True, True, frozenset())


def test_reference_to_itself_says_nothing() -> None:
    itself = {"$ref": "#"}
    assert not Expected([itself], itself, {}).objects


def test_type_inside_itself_is_looked_at_once() -> None:
    expected: Expected = expected_of(Review).member("other")
    assert expected.member("other").member("other") is expected.member("other")
