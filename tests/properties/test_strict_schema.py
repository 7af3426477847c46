"""Whatever the type: its strict schema is one that providers take, and holds a model to what the type reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, create_model

from src.shared.domain.strict_schema import NotStrictError, strict_schema
from tests.shared.domain.strict_rules import broken_rules, conforms
from tests.thorough import at_length

few = settings(max_examples=at_length(20, 60))
"""Each example makes classes, which is slow."""


class Grade(Enum):
    HIGH = "高"
    LOW = 1


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: Annotated[int, Field(ge=1, le=9)]


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str]


SAID_WHOLE = [
    str, int, float, bool, Grade, Tree, Literal["a", "b"], Annotated[int, Field(ge=-3, le=3)], date,
    Annotated[str, Field(pattern=r"^[a-c]{2,3}$")], Annotated[Cat | Dog, Field(discriminator="kind")],
]  # fmt: skip
"""Types that a strict schema says all about."""
SAID_IN_PART = [Decimal, Annotated[str, Field(min_length=2, max_length=3)], Annotated[str, Field(pattern=r"\bab")]]
"""Types whose bounds are in no strict schema."""
NOT_SAID = [dict[str, int], Any, tuple[int, str], list[Any], Annotated[int, Field(default_factory=int)]]
"""Types that no strict schema says."""


def types(leaves: list[Any]) -> st.SearchStrategy[Any]:
    """A type made of these."""
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.one_of(
            inner.map(lambda made: list[made]),  # type: ignore[valid-type]  # drawn at run time
            inner.map(lambda made: made | None),
            inner.map(lambda made: tuple[made, made]),  # type: ignore[valid-type]  # drawn at run time
            models(inner),
        ),
        max_leaves=6,
    )


def models(of: st.SearchStrategy[Any]) -> st.SearchStrategy[type[BaseModel]]:
    """A model whose fields are of these types: required, or with null instead, described or not."""
    field = st.tuples(of, st.booleans(), st.sampled_from([None, "What it is."])).map(_field)
    return st.lists(field, min_size=1, max_size=4).map(
        lambda fields: create_model("Made", **{f"f{at}": field for at, field in enumerate(fields)})  # type: ignore[call-overload]  # names made at run time
    )


def _field(drawn: tuple[Any, bool, str | None]) -> tuple[Any, Any]:
    made, required, description = drawn
    return (made, Field(description=description)) if required else (made | None, Field(None, description=description))


def values(schema: dict[str, Any], definitions: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """What a model that is held to the schema may write."""
    if "$ref" in schema:
        inner = definitions[schema["$ref"].removeprefix("#/$defs/")]
        return st.deferred(lambda: values(inner, definitions, depth + 1))
    if "anyOf" in schema:
        return st.one_of(*(values(choice, definitions, depth) for choice in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    return _WRITTEN[schema["type"]](schema, definitions, depth)


def _texts(schema: dict[str, Any], *_: object) -> st.SearchStrategy[Any]:
    if "format" in schema:
        return st.dates().map(str)
    return st.from_regex(schema["pattern"], fullmatch=True) if "pattern" in schema else st.text(max_size=4)


def _lists(schema: dict[str, Any], definitions: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    least = schema.get("minItems", 0)
    most = schema.get("maxItems", least + (2 if depth < 3 else 0))
    return st.lists(values(schema["items"], definitions, depth + 1), min_size=least, max_size=most)


def _objects(schema: dict[str, Any], definitions: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({key: values(one, definitions, depth) for key, one in schema["properties"].items()})


_WRITTEN: dict[str, Callable[..., st.SearchStrategy[Any]]] = {
    "string": _texts,
    "integer": lambda schema, *_: st.integers(schema.get("minimum", -9), schema.get("maximum", 9)),
    "number": lambda *_: st.floats(allow_nan=False, allow_infinity=False, width=32),
    "boolean": lambda *_: st.booleans(),
    "null": lambda *_: st.none(),
    "array": _lists,
    "object": _objects,
}


def read(model: type[BaseModel], value: object) -> BaseModel | None:
    """The value as the type reads it; None where it refuses it."""
    try:
        return model.model_validate_json(json.dumps(value))
    except ValidationError:
        return None


@few
@given(models(types(SAID_WHOLE)), st.data())
def test_what_the_strict_schema_allows_is_read_and_what_was_read_conforms(
    model: type[BaseModel], data: st.DataObject
) -> None:
    schema = strict_schema(TypeAdapter(model).json_schema())
    assert broken_rules(schema) == []
    definitions = schema.get("$defs", {})
    value = data.draw(values(schema, definitions))
    found = read(model, value)
    assert found is not None
    assert conforms(json.loads(found.model_dump_json()), schema, definitions)


@few
@given(models(types(SAID_WHOLE + SAID_IN_PART)), st.data())
def test_what_was_left_out_is_still_checked_by_the_type(model: type[BaseModel], data: st.DataObject) -> None:
    schema = strict_schema(TypeAdapter(model).json_schema())
    assert broken_rules(schema) == []
    definitions = schema.get("$defs", {})
    value = data.draw(values(schema, definitions))
    assert conforms(value, schema, definitions)
    found = read(model, value)
    if found is not None:
        assert read(model, json.loads(found.model_dump_json())) == found


@few
@given(models(types(SAID_WHOLE)), st.sampled_from(NOT_SAID))
def test_one_field_that_cannot_be_said_is_named_wherever_it_stands(model: type[BaseModel], field: Any) -> None:  # noqa: ANN401 - any type
    inner = create_model("Inner", known=(model, ...), wrong=(field, ...) if field is not NOT_SAID[-1] else field)
    outer = create_model("Outer", items=(list[inner], ...))
    with pytest.raises(NotStrictError) as caught:
        strict_schema(TypeAdapter(outer).json_schema())
    assert caught.value.path.startswith("$.items[].wrong")
