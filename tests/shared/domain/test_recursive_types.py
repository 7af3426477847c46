"""A type may be inside itself in many ways: each part of it is looked at once."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, RootModel, TypeAdapter
from pydantic_core import core_schema

from src.shared.domain import type_shapes
from src.shared.domain.coercion.plan import EVERYTHING, choices_of
from src.shared.domain.strict_schema import NotStrictError, strict_schema
from src.shared.domain.type_shapes import Shape, definitions_of, shapes_of
from src.shared.infrastructure.parsing.paths import item_adapter
from src.shared.infrastructure.parsing.target_type import target_type


class Pair(RootModel["tuple[str, Pair | float, Pair | float]"]):
    pass


class Named(BaseModel):
    name: str


class A(RootModel["list[A] | list[B] | list[C] | list[D] | list[E] | Named"]):
    pass


class B(RootModel["list[A] | list[B] | list[C] | list[D] | list[E] | int"]):
    pass


class C(RootModel["list[A] | list[B] | list[C] | list[D] | list[E] | int"]):
    pass


class D(RootModel["list[A] | list[B] | list[C] | list[D] | list[E] | int"]):
    pass


class E(RootModel["list[A] | list[B] | list[C] | list[D] | list[E] | int"]):
    pass


class OneOfItself(RootModel["int | OneOfItself | list[OneOfItself] | tuple[OneOfItself, ...]"]):
    pass


for model in (Pair, A, B, C, D, E, OneOfItself):
    model.model_rebuild()


def core(dto_type: Any) -> Any:  # noqa: ANN401 - any type
    return TypeAdapter(dto_type).core_schema


@pytest.mark.parametrize(
    ("dto_type", "shapes"),
    [
        (Pair, {Shape("array")}),
        (A, {Shape("array", frozenset({"name"})), Shape("object", frozenset({"name"}))}),
        (B, {Shape("array", frozenset({"name"}))}),
        (OneOfItself, {Shape("array")}),
        (list[list[str]] | list[Named], {Shape("array"), Shape("array", frozenset({"name"}))}),
        (list[list[str] | Named], {Shape("array"), Shape("array", frozenset({"name"}))}),
    ],
)
def test_shapes_of_a_type_inside_itself(dto_type: Any, shapes: set[Shape]) -> None:  # noqa: ANN401 - any type
    assert {*shapes_of(core(dto_type))} == shapes


def test_five_types_inside_each_other_are_not_followed_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[object] = []
    before = type_shapes._inside  # noqa: SLF001 - counted

    def counted(part: Any, definitions: Any) -> Any:  # noqa: ANN401 - as it is
        looked_at.append(part)
        return before(part, definitions)

    monkeypatch.setattr(type_shapes, "_inside", counted)
    shapes_of(core(A))

    assert len(looked_at) < 1_000


def test_a_schema_that_stands_in_two_places_of_each_level_is_looked_at_once() -> None:
    schema: Any = core_schema.str_schema()
    for _ in range(40):
        schema = core_schema.tuple_schema([schema, schema])

    assert shapes_of(schema) == (Shape("array"),)
    assert not type_shapes.reads_decimals(schema)


def test_choices_of_a_type_that_is_one_of_its_own_are_each_told_once() -> None:
    schema = core(OneOfItself)
    found = choices_of(schema["schema"], definitions_of(schema), EVERYTHING)

    assert [choice.kind for choice in found] == ["int", "list", "tuple"]


def test_a_type_that_is_one_of_its_own_choices_may_be_coerced() -> None:
    assert target_type(OneOfItself, coerce=True).coerces


def test_elements_of_a_type_that_is_one_of_its_own_choices_are_found_at_any_depth() -> None:
    adapter = item_adapter(A, "$" + "[0]" * 40)

    assert adapter.validate_python({"name": "x"}) == A(Named(name="x"))


def test_whether_a_key_may_be_left_out_is_asked_of_each_definition_once() -> None:
    two_ways = {
        f"d{number}": {"anyOf": [{"$ref": f"#/$defs/d{number + 1}"}, {"$ref": f"#/$defs/d{number + 1}"}]}
        for number in range(40)
    }
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/d0"}},
        "additionalProperties": False,
        "$defs": {**two_ways, "d40": {"type": "string"}},
    }
    with pytest.raises(NotStrictError, match=r"^\$\.a: 该键可省略"):
        strict_schema(schema)
    schema["$defs"]["d40"] = {"type": ["string", "null"]}
    assert strict_schema(schema)["required"] == ["a"]
