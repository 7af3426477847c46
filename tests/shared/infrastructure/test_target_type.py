"""What the parser remembers of a type, and what it must not mix up."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing.state import Target
from src.shared.infrastructure.parsing.target_type import target_type


class First(BaseModel):
    n: int


class Second(BaseModel):
    n: int


@dataclass
class Plain:
    n: int


@pytest.mark.parametrize("dto_type", [First, list[First], Plain, TypeAdapter(First)])
def test_what_is_known_of_a_type_is_worked_out_once(dto_type: Any) -> None:  # noqa: ANN401 - any type
    assert target_type(dto_type) is target_type(dto_type)


def test_unions_in_another_order_are_other_types() -> None:
    first: Any = First | Second
    second: Any = Second | First
    assert first == second
    assert type(parse_llm_json_output('{"n": 1}', first)) is First
    assert type(parse_llm_json_output('{"n": 1}', second)) is Second


def test_type_that_cannot_be_remembered_is_read() -> None:
    unhashable: Any = Annotated[First, Field(json_schema_extra={"a": 1}), {"no": "hash"}]
    with pytest.raises(TypeError, match="unhashable"):
        hash(unhashable)
    assert parse_llm_json_output('{"n": 1}', unhashable) == First(n=1)


def test_target_has_the_keys_of_its_type_and_none_without_one() -> None:
    assert Target(target_type(list[First])).own_keys() == {"n"}
    assert Target().own_keys() == set()


@pytest.mark.parametrize(
    ("data", "known"),
    [({"n": 1, "x": 2}, {"n"}), ([{"x": 1}, {"n": 2}], {"n"}), ([1, [2]], set()), ({"x": 1}, set()), ("n", set())],
)
def test_known_keys_are_those_of_an_object_or_of_the_objects_in_an_array(data: object, known: set[str]) -> None:
    assert target_type(First).known_keys(data) == known
