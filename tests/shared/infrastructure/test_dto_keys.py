"""The key names that a type knows."""

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, Field

from src.shared.infrastructure.dto_keys import keys_of, own_keys_of


class Inner(BaseModel):
    depth: int


class Outer(BaseModel):
    name: Annotated[str, Field(alias="名称")]
    inner: list[Inner]


class Unwritable(BaseModel):
    """A type for which there is no JSON schema."""

    hook: Callable[[], int]


def test_keys_of_a_type_are_its_own_and_those_of_the_types_inside_it() -> None:
    assert keys_of(Outer) == {"name", "名称", "inner", "depth"}


def test_own_keys_of_a_type_are_its_fields_and_their_aliases() -> None:
    assert own_keys_of(Outer) == {"name", "名称", "inner"}


def test_type_without_a_json_schema_knows_its_own_fields() -> None:
    assert keys_of(Unwritable) == {"hook"}
