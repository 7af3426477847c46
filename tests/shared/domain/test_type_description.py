"""How a type is described to a model: every kind of field, one notation each, and nothing that misleads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from textwrap import dedent
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    RootModel,
    StringConstraints,
    WithJsonSchema,
    create_model,
)
from pydantic.errors import PydanticInvalidForJsonSchema
from typing_extensions import TypedDict

from llm_output import JsonSchema
from src.entrypoints.agents import AGENTS
from src.shared.domain.strict_schema import strict_schema
from src.shared.domain.type_description import describe_type


class Side(StrEnum):
    """Kept out of prompts: written for developers."""

    BUY = "buy"
    SELL = "卖出"


class Level(BaseModel):
    """Kept out of prompts as well."""

    price: float


class Node(BaseModel):
    value: int
    children: list["Node"] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog", "wolf"]


class Pair(NamedTuple):
    low: float
    high: float = 0


class Options(TypedDict, total=False):
    depth: int


@dataclass
class Point:
    """A class of Python's own."""

    x: float


def line_of(type_: Any, **field: Any) -> str:  # noqa: ANN401 - any type a field can have
    """Describe a model of one required field `f`; return its line."""
    text = describe_type(create_model("M", f=(type_, Field(**field))))
    (line,) = text.removeprefix("{\n").removesuffix("\n}").splitlines()
    return line.strip()


def text(skeleton: str) -> str:
    """Write an expected description."""
    return dedent(skeleton).strip()


TYPES: dict[str, tuple[Any, str]] = {
    "text": (str, "string"),
    "whole number": (int, "integer"),
    "number": (float, "number"),
    "flag": (bool, "boolean"),
    "null": (None, "null"),
    "anything": (Any, "any"),
    "any JSON": (JsonValue, "any"),
    "optional": (str | None, "string | null"),
    "union": (int | str, "integer | string"),
    "literals": (Literal["涨", "跌"], '"涨" | "跌"'),
    "one literal": (Literal['a "b"'], r'"a \"b\""'),
    "literals of several types": (Literal[1, "x", True], '1 | "x" | true'),
    "enum": (Side, '"buy" | "卖出"'),
    "list": (list[str], "[string]"),
    "list of a union": (list[int | None], "[integer | null]"),
    "list of lists": (list[list[float]], "[[number]]"),
    "list of anything": (list[Any], "[any]"),
    "set": (set[str], "[string] // uniqueItems"),
    "tuple": (tuple[int, str], "[integer, string] // items =2"),
    "tuple of one": (tuple[int], "[integer] // items =1"),
    "named tuple": (Pair, "[number, number (default 0)] // items >=1 <=2"),
    "dict": (dict[str, float], "{[key: string]: number}"),
    "dict of lists": (dict[str, list[int]], "{[key: string]: [integer]}"),
    "object of any keys": (dict[str, Any], "{[key: string]: any}"),
    "dict with the keys of a literal": (dict[Literal["a", "b"], int], '{[key: "a" | "b"]: integer}'),
    "dict with the keys of an enum": (dict[Side, int], '{[key: "buy" | "卖出"]: integer}'),
    "dict with long keys": (
        dict[Annotated[str, StringConstraints(min_length=2)], int],
        "{[key: string (length >=2)]: integer}",
    ),
    "dict with keys of a pattern": (
        dict[Annotated[str, StringConstraints(pattern="^x")], int],
        "{[key: string /^x/]: integer}",
    ),
    "date": (date, "string // date"),
    "time": (datetime, "string // date-time"),
    "decimal": (Decimal, "number | string // decimal"),
    "bytes": (bytes, "string // binary"),
    "list of a bounded number": (list[Annotated[int, Field(ge=1)]], "[integer (>=1)]"),
    "list of a bounded union": (list[Annotated[int | str, Field(description="a, b")]], "[(integer | string) (a, b)]"),
    "optional bounded number": (Annotated[int, Field(ge=1)] | None, "integer (>=1) | null"),
    "variable tuple": (
        Annotated[list[int], WithJsonSchema({"type": "array", "prefixItems": [{"type": "string"}], "items": {}})],
        "[string, ...any]",
    ),
    "several JSON types": (Annotated[int, WithJsonSchema({"type": ["string", "null"]})], "string | null"),
    "all of several": (
        Annotated[int, WithJsonSchema({"allOf": [{"type": "integer"}, {"multipleOf": 2}]})],
        "integer & any (multipleOf 2)",
    ),
    "a type elsewhere": (Annotated[int, WithJsonSchema({"$ref": "https://x/y"})], 'any // $ref "https://x/y"'),
    "any of an empty class": (create_model("Empty"), "{}"),
}


@pytest.mark.parametrize(("type_", "described"), TYPES.values(), ids=TYPES.keys())
def test_type_is_written(type_: Any, described: str) -> None:  # noqa: ANN401 - any type a field can have
    assert line_of(type_) == f'"f": {described}'


FIELDS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "bounds": (float, {"ge": 0, "le": 1}, "number // >=0 <=1"),
    "open bounds": (int, {"gt": 0, "lt": 5}, "integer // >0 <5"),
    "multiples": (int, {"multiple_of": 100}, "integer // multipleOf 100"),
    "bounds of a union": (int | float, {"ge": 0}, "integer | number // >=0"),
    "length": (str, {"min_length": 1, "max_length": 9}, "string // length >=1 <=9"),
    "pattern": (str, {"pattern": r'^\d+"$'}, 'string // /^\\d+"$/'),
    "pattern of two lines": (str, {"pattern": "a\nb"}, "string // /a\\nb/"),
    "least items": (list[str], {"min_length": 1}, "[string] // items >=1"),
    "exactly so many items": (list[str], {"min_length": 4, "max_length": 4}, "[string] // items =4"),
    "most items": (list[str], {"max_length": 3}, "[string] // items <=3"),
    "keys": (dict[str, int], {"max_length": 3}, "{[key: string]: integer} // keys <=3"),
    "digits of a decimal": (
        Decimal,
        {"gt": Decimal("0.12345678901234567890"), "max_digits": 30, "decimal_places": 20},
        "number | string // decimal; >0.12345678901234567890; max_digits 30; decimal_places 20",
    ),
    "description": (str, {"description": "Why.\n  And  how."}, "string // Why. And how."),
    "bound and description": (int, {"ge": 0, "description": "Points."}, "integer // >=0; Points."),
    "examples": (str, {"examples": ["a"]}, 'string // examples ["a"]'),
    "deprecation": (str, {"deprecated": True}, "string // deprecated"),
    "a keyword of one's own": (str, {"json_schema_extra": {"x-unit": "元"}}, 'string // x-unit "元"'),
    "default that is null": (str | None, {"default": None}, "string | null // optional; default null"),
    "default that is an empty text": (str, {"default": ""}, 'string // optional; default ""'),
    "default made anew each time": (list[str], {"default_factory": list}, "[string] // optional"),
    "default that JSON cannot write": (float, {"default": float("nan")}, "number // optional"),
    "default that is no JSON at all": (Any, {"default": object()}, "any // optional"),
    "default too long to be worth it": (str, {"default": "x" * 79}, "string // optional"),
}


@pytest.mark.parametrize(("type_", "field", "described"), FIELDS.values(), ids=FIELDS.keys())
def test_what_is_said_of_a_field_is_written_behind_its_type(type_: Any, field: dict[str, Any], described: str) -> None:  # noqa: ANN401 - any type a field can have
    assert sorted(line_of(type_, **field).split("; ")) == sorted(f'"f": {described}'.split("; "))


# --- objects --------------------------------------------------------------------------------------------


def test_members_stand_in_their_order_with_commas_between_and_comments_behind() -> None:
    class Result(BaseModel):
        signal: Literal["UP", "DOWN"] = Field(description="Where it goes.")
        levels: Level = Field(description="Where it stops.")
        rows: list[Point] = Field(min_length=1, description="Where it was.")
        note: str = ""

    assert describe_type(Result) == text("""
        {
          "signal": "UP" | "DOWN", // Where it goes.
          "levels": { // Where it stops.
            "price": number
          },
          "rows": [{ // items >=1; Where it was.
            "x": number
          }],
          "note": string // optional; default ""
        }
        """)


def test_union_of_objects_shows_each_with_its_tag() -> None:
    class Owner(BaseModel):
        pet: Annotated[Cat | Dog, Field(discriminator="kind", description="The one that lives here.")]
        level: Level | None

    assert describe_type(Owner) == text("""
        {
          "pet": { // The one that lives here.
            "kind": "cat",
            "lives": integer
          } | {
            "kind": "dog" | "wolf"
          },
          "level": {
            "price": number
          } | null
        }
        """)


def test_objects_by_key_show_the_object() -> None:
    assert describe_type(create_model("M", f=(dict[str, Level], ...))) == text("""
        {
          "f": {[key: string]: {
            "price": number
          }}
        }
        """)


def test_type_in_several_places_is_written_once_and_named() -> None:
    class Route(BaseModel):
        start: Point
        stops: list[Point] = Field(description="On the way.")
        side: Side
        other_side: Side | None = None

    assert describe_type(Route) == text("""
        {
          "start": Point,
          "stops": [Point], // On the way.
          "side": Side,
          "other_side": Side | null // optional; default null
        }
        Point = {
          "x": number
        }
        Side = "buy" | "卖出"
        """)


def test_recursive_root_is_named_and_written_once() -> None:
    assert describe_type(Node) == text("""
        Node = {
          "value": integer,
          "children": [Node] // optional; default []
        }
        """)


def test_recursive_type_inside_another_is_named_and_written_once() -> None:
    assert describe_type(create_model("Tree", root=(Node, Field(description="The top.")))) == text("""
        {
          "root": Node // The top.
        }
        Node = {
          "value": integer,
          "children": [Node] // optional; default []
        }
        """)


def test_named_type_that_allows_no_other_keys_says_so() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int

    assert describe_type(create_model("M", f=(Strict, ...), g=(Strict, ...))).splitlines()[-3:] == [
        "Strict = { // no other keys",
        '  "a": integer',
        "}",
    ]


def test_type_that_keeps_other_keys_says_of_which_type() -> None:
    class Loose(BaseModel):
        model_config = ConfigDict(extra="allow")
        __pydantic_extra__: dict[str, int] = Field(init=False)
        a: int

    assert describe_type(Loose).splitlines()[1:-1] == ['  "a": integer,', "  [key: string]: integer"]


def test_key_of_a_typed_dict_that_may_be_left_out_says_so() -> None:
    assert '"depth": integer // optional' in describe_type(create_model("M", f=(Options, ...))).replace(",", "")


def test_root_model_is_described_as_what_it_holds() -> None:
    class Prices(RootModel[dict[str, float]]):
        pass

    assert describe_type(Prices) == "{[key: string]: number}"


def test_docstrings_of_models_and_enums_stay_with_the_developers() -> None:
    described = describe_type(create_model("M", level=(Level, ...), side=(Side, ...), __doc__="Kept out of prompts."))
    assert "Kept out" not in described


# --- names ------------------------------------------------------------------------------------------------


def test_keys_are_the_aliases_that_validation_reads() -> None:
    class Aliased(BaseModel):
        one: int = Field(alias="第一")
        two: int = Field(validation_alias="Two", serialization_alias="no")
        three: int = Field(validation_alias=AliasChoices(AliasPath("a", 0), "drei"))

    described = describe_type(Aliased)
    assert [line.partition(":")[0].strip() for line in described.splitlines()[1:-1]] == ['"第一"', '"Two"', '"drei"']


def test_types_of_the_same_name_are_told_apart() -> None:
    first, second = create_model("Item", a=(int, ...)), create_model("Item", b=(int, ...), __module__="elsewhere")
    described = describe_type(create_model("M", f=(list[first | second], ...), g=(list[first | second], ...)))  # type: ignore[valid-type]  # models made at run time
    names = [line.partition(" = ")[0] for line in described.splitlines() if " = " in line]
    assert len(set(names)) == 2
    assert f'"f": [{names[0]} | {names[1]}]' in described


# --- what always holds --------------------------------------------------------------------------------------


def test_length_grows_with_the_number_of_types_and_not_with_the_places_they_stand_in() -> None:
    level: type[BaseModel] = Level
    for depth in range(40):
        level = create_model(f"Level{depth}", a=(level, ...), b=(level, ...))
    assert len(describe_type(level)) < 5_000


def test_type_that_json_cannot_write_is_the_developers_error() -> None:
    with pytest.raises(PydanticInvalidForJsonSchema):
        describe_type(create_model("M", f=(Callable[[], int], ...)))


def described(stated: dict[str, Any]) -> str:
    return describe_type(JsonSchema({"type": "object", "properties": {"a": stated}, "required": ["a"]}))


@pytest.mark.parametrize("name", AGENTS)
def test_schema_of_an_agents_type_is_described_as_the_type_is(name: str) -> None:
    dto: Any = AGENTS[name].output.dto_type

    assert describe_type(JsonSchema(dto.model_json_schema())) == describe_type(dto)


@pytest.mark.parametrize(
    ("stated", "line"),
    [
        (
            {"type": ["object", "null"], "properties": {"b": True}, "description": "x"},
            '"a": { // x\n    "b": any // optional\n  } | null',
        ),
        ({"type": ["string", "array"], "items": {"type": "string"}}, '"a": string | [string]'),
        ({"type": ["string", "null"]}, '"a": string | null'),
        ({"type": ["object", "null"], "enum": [None, {}]}, '"a": null | {}'),
        ({"type": "array", "prefixItems": [{"type": "string"}, True], "items": False}, '"a": [string, any]'),
        ({"items": True}, '"a": [any]'),
        ({"properties": {}}, '"a": {}'),
        ({"anyOf": [{"type": "string"}, False]}, '"a": string | any (not {})'),
        ({"type": "object", "additionalProperties": {"type": "number"}}, '"a": {[key: string]: number}'),
        ({"type": "object", "propertyNames": {"pattern": "^k"}}, '"a": {[key: string (/^k/)]: any}'),
        ({"$comment": "for us", "type": "string"}, '"a": string'),
    ],
)  # fmt: skip
def test_what_pydantic_does_not_write_is_described_too(stated: dict[str, Any], line: str) -> None:
    assert described(stated) == "{\n  " + line + "\n}"


def test_type_inside_itself_is_named() -> None:
    tree = JsonSchema(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"child": {"$ref": "#"}}}
    )

    assert describe_type(tree) == '{\n  "child": Root // optional\n}\nRoot = {\n  "child": Root // optional\n}'


def test_schema_is_made_strict_for_a_provider_as_a_types_is() -> None:
    schema = JsonSchema(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/a"}},
            "definitions": {"a": {"type": ["string", "null"]}},
        }
    )

    assert strict_schema(schema.json_schema()) == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "required": ["a"],
        "additionalProperties": False,
        "$defs": {"a": {"type": ["string", "null"]}},
    }
