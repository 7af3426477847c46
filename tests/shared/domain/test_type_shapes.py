"""What a type's core schema says about its JSON: the keys it knows, and the roots it is read from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import (
    AliasChoices,
    AliasGenerator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Json,
    JsonValue,
    PlainValidator,
    RootModel,
    Tag,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic import dataclasses as pydantic_dataclasses
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema
from typing_extensions import TypedDict

from src.shared.infrastructure.parsing.target_type import target_type


class Inner(BaseModel):
    depth: int


class Outer(BaseModel):
    name: Annotated[str, Field(alias="名称")]
    inner: list[Inner]


class Unwritable(BaseModel):
    """A type for which there is no JSON schema."""

    hook: Callable[[], int]


class Chosen(BaseModel):
    a: int = Field(validation_alias=AliasChoices("A", AliasPath("data", "value", 0)), serialization_alias="out")


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=AliasGenerator(validation_alias=to_camel), populate_by_name=True)
    first_name: str


class Named(BaseModel):
    """Fields named like the parts of a core schema."""

    default: int
    metadata: int
    type: Inner


@dataclass
class Point:
    x: int
    y: int = 0


@pydantic_dataclasses.dataclass(config=ConfigDict(alias_generator=to_camel))
class Place:
    post_code: str


class Options(TypedDict, total=False):
    size: int


class Tree(BaseModel):
    children: "list[Tree]" = []


class Nest(RootModel["list[Nest]"]):
    """A list of lists of lists."""


class Pair(NamedTuple):
    left: int


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    age: int


class Reshaped(BaseModel):
    size: int = 1

    @model_validator(mode="before")
    @classmethod
    def unwrap(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the model wrote
        return data.get("result", data)


def kind_of(data: dict[str, Any]) -> str:
    return str(data["kind"])


Pet = Annotated[Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("default")], Discriminator(kind_of)]


@pytest.mark.parametrize(
    ("dto_type", "keys"),
    [
        (Outer, {"name", "名称", "inner"}),
        (Chosen, {"a", "A", "data", "out"}),
        (Camel, {"first_name", "firstName"}),
        (Point, {"x", "y"}),
        (Place, {"post_code", "postCode"}),
        (Options, {"size"}),
        (Tree, {"children"}),
        (list[Outer], {"name", "名称", "inner"}),
        (list[list[Inner]], {"depth"}),
        (tuple[Inner, Point], {"depth", "x", "y"}),
        (RootModel[list[Inner]], {"depth"}),
        (TypeAdapter(Inner | Options), {"depth", "size"}),
        (TypeAdapter(Annotated[Cat | Dog, Field(discriminator="kind")]), {"kind", "lives", "age"}),
        (TypeAdapter(Pet), {"kind", "lives", "age"}),
        (TypeAdapter(Inner | None), {"depth"}),
        (dict[str, Inner], set()),
        (list[int], set()),
        (TypeAdapter(Annotated[Inner, BeforeValidator(dict)]), {"depth"}),
    ],
)
def test_own_keys_are_the_fields_and_their_aliases_of_the_root_or_its_items(dto_type: Any, keys: set[str]) -> None:  # noqa: ANN401 - any type
    assert target_type(dto_type).own_keys == keys


class Custom:
    """A type that reads whatever it is given."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(keep)


class Steps:
    """A type that is read in two steps, from Python as it is."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> core_schema.CoreSchema:
        steps = core_schema.chain_schema([core_schema.dict_schema(), core_schema.any_schema()])
        return core_schema.json_or_python_schema(steps, core_schema.is_instance_schema(cls))


def keep(value: Any) -> Any:  # noqa: ANN401 - any value
    return value


def summed(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - any value
    return handler(sum(value))


@pytest.mark.parametrize(
    ("dto_type", "roots"),
    [
        (Outer, {"object"}),
        (Point, {"object"}),
        (Options, {"object"}),
        (Tree, {"object"}),
        (dict[str, int], {"object"}),
        (RootModel[dict[str, int]], {"object"}),
        (Reshaped, {"object"}),
        (list[Outer], {"array"}),
        (RootModel[list[int]], {"array"}),
        (set[int], {"array"}),
        (tuple[int, ...], {"array"}),
        (Pair, {"array"}),
        (TypeAdapter(Outer | list[Outer]), {"object", "array"}),
        (TypeAdapter(list[int] | str), {"array"}),
        (TypeAdapter(JsonValue), {"object", "array"}),
        (TypeAdapter(Any), {"object", "array"}),
        (TypeAdapter(Annotated[int, WrapValidator(summed, json_schema_input_type=list[int])]), {"array"}),
        (TypeAdapter(Annotated[int, PlainValidator(keep)]), {"object", "array"}),
        (Custom, {"object", "array"}),
        (Steps, {"object"}),
        (Nest, {"array"}),
        (Mapping[str, int], {"object"}),
        (Sequence[int], {"array"}),
    ],
)
def test_root_is_what_the_types_json_is(dto_type: Any, roots: set[str]) -> None:  # noqa: ANN401 - any type
    assert target_type(dto_type).roots == roots


@pytest.mark.parametrize(
    "dto_type",
    [
        *(int, str, bool, float, Literal["x"], int | None, str | int, Json[Outer], RootModel[int], TypeAdapter(int)),
        *(None, 42, Inner(depth=1), "Outer"),
    ],
)
def test_type_whose_json_is_neither_object_nor_array_and_what_is_no_type_are_the_programs_mistake(
    dto_type: Any,  # noqa: ANN401 - anything
) -> None:
    with pytest.raises(TypeError, match=r"neither an object nor an array|is not a type that Pydantic reads"):
        target_type(dto_type)
