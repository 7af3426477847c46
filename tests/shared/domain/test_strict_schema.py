"""A type's JSON Schema as providers take it with `strict: true`: one test a rule."""

from __future__ import annotations

import json
import math
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter
from typing_extensions import TypedDict

from src.shared.domain import strict_schema as strict_limits
from src.shared.domain.language import Language
from src.shared.domain.strict_schema import NotStrictError, check_limits, strict_schema
from tests.shared.domain.strict_rules import broken_rules


class Item(BaseModel):
    name: str
    price: float = 0.0


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str]


class Grade(Enum):
    HIGH = "high"
    LOW = 1
    NONE = None


class Point(NamedTuple):
    x: float
    y: float


class Partial(TypedDict):
    here: int
    maybe: NotRequired[int]


def of(field: Any, default: Any = ...) -> dict[str, Any]:  # noqa: ANN401 - any type, any default
    """The schema of a model with one field `f`."""
    model = type("Made", (BaseModel,), {"__annotations__": {"f": field}, **({} if default is ... else {"f": default})})
    return TypeAdapter(model).json_schema()


def strict(field: Any, default: Any = ...) -> dict[str, Any]:  # noqa: ANN401 - any type, any default
    """The strict schema of one field; the whole of it keeps the provider's rules."""
    made = strict_schema(of(field, default))
    assert broken_rules(made) == []
    inner: dict[str, Any] = made["properties"]["f"]
    return inner


def refused(schema: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(NotStrictError) as caught:
        strict_schema(schema)
    return caught.value.path, caught.value.reason.text(Language.EN)


def test_every_object_is_closed_and_all_its_keys_are_required() -> None:
    made = strict_schema(TypeAdapter(Item).json_schema())
    assert made == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
        "required": ["name", "price"],
        "additionalProperties": False,
    }


def test_given_schema_is_not_changed() -> None:
    schema = TypeAdapter(Node).json_schema()
    before = json.dumps(schema)
    strict_schema(schema)
    assert json.dumps(schema) == before


# --- keys that may be left out ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "default"),
    [
        (int | None, None),
        (int, 3),
        (list[int], Field(default_factory=list)),
        (Grade, Field(default_factory=lambda: Grade.NONE)),
        (Item | None, None),
        (Node, Field(default={"value": 1})),
    ],
    ids=str,
)
def test_key_that_may_be_left_out_is_required_where_a_value_says_the_same(field: Any, default: Any) -> None:  # noqa: ANN401 - any type, any default
    strict(field, default)


STRICT: list[tuple[Any, dict[str, Any]]] = [
    (Annotated[Cat | Dog, Field(discriminator="kind")], {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}),
    (Decimal, {"anyOf": [{"type": "number"}, {"type": "string"}]}),
    (tuple[int, int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
    (Literal[True], {"type": "boolean", "const": True}),
    # what is said of a value, as far as providers document it
    (
        Annotated[int, Field(ge=0, lt=9, multiple_of=3)],
        {"type": "integer", "minimum": 0, "exclusiveMaximum": 9, "multipleOf": 3},
    ),
    (Annotated[float, Field(gt=0, le=1)], {"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    (
        Annotated[list[bool], Field(min_length=1, max_length=2)],
        {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2},
    ),
    (Annotated[str, Field(pattern=r"^@[\w.]+(?:-\d)?$")], {"type": "string", "pattern": r"^@[\w.]+(?:-\d)?$"}),
    (date, {"type": "string", "format": "date"}),
    (Path, {"type": "string"}),
    (Annotated[str, Field(min_length=1, max_length=9)], {"type": "string"}),
    (Annotated[str, Field(examples=["a"], title="T", deprecated=True)], {"type": "string"}),
    (Annotated[float, Field(lt=math.inf)], {"type": "number"}),
]


@pytest.mark.parametrize(("field", "made"), STRICT, ids=lambda one: str(one)[:60])
def test_field_is_written_as_a_provider_takes_it(field: Any, made: dict[str, Any]) -> None:  # noqa: ANN401 - any type
    assert strict(field) == made


def test_default_is_not_sent() -> None:
    assert strict(int | None, None) == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert strict(int, 3) == {"type": "integer"}


@pytest.mark.parametrize(
    ("field", "default"),
    [
        (int, None),
        (int, Field(default_factory=int)),
        (Item, Field(default_factory=lambda: Item(name=""))),
        (Annotated[list[int], Field(min_length=1)], Field(default_factory=list)),
    ],
    ids=str,
)
def test_key_that_may_be_left_out_is_refused_where_a_value_would_have_to_be_invented(field: Any, default: Any) -> None:  # noqa: ANN401 - any type, any default
    path, reason = refused(of(field, default))
    assert (path, "may be left out" in reason) == ("$.f", True)


def test_key_of_a_typed_dict_that_may_be_left_out_is_refused() -> None:
    assert refused(TypeAdapter(Partial).json_schema())[0] == "$.maybe"


def test_definition_that_may_be_null_says_that_a_key_was_left_out() -> None:
    schema = {
        "$defs": {"Maybe": {"anyOf": [{"$ref": "#/$defs/Maybe"}, {"type": "null"}]}},
        "type": "object",
        "properties": {"f": {"$ref": "#/$defs/Maybe"}, "g": {"allOf": [{"const": None}]}},
    }
    assert strict_schema(schema)["required"] == ["f", "g"]


def test_value_of_any_type_does_not_say_that_a_key_was_left_out() -> None:
    assert refused({"type": "object", "properties": {"f": True}}) == ("$.f", refused_left_out())


def refused_left_out() -> str:
    return refused(of(int, None))[1]


# --- references and choices ---------------------------------------------------------------------------------


def test_reference_with_a_description_stands_in_any_of() -> None:
    class Order(BaseModel):
        first: Item = Field(description="The first.")
        second: Item

    made = strict_schema(TypeAdapter(Order).json_schema())
    assert made["properties"]["first"] == {"anyOf": [{"$ref": "#/$defs/Item"}], "description": "The first."}
    assert made["properties"]["second"] == {"$ref": "#/$defs/Item"}
    assert broken_rules(made) == []


def test_type_inside_itself_keeps_its_definition_and_an_object_as_root() -> None:
    made = strict_schema(TypeAdapter(Node).json_schema())
    assert made["properties"]["children"] == {"type": "array", "items": {"$ref": "#/$defs/Node"}}
    assert made["$defs"]["Node"]["required"] == ["value", "children"]
    assert broken_rules(made) == []


@pytest.mark.parametrize("root", [RootModel[Item], RootModel[RootModel[Item]]], ids=["one", "two"])
def test_root_that_refers_to_an_object_is_that_object(root: type[BaseModel]) -> None:
    assert strict_schema(TypeAdapter(root).json_schema())["required"] == ["name", "price"]


# --- values -------------------------------------------------------------------------------------------------


def test_literals_have_a_type() -> None:
    grade = strict_schema(of(Grade))["$defs"]["Grade"]
    assert grade == {"type": ["string", "integer", "null"], "enum": ["high", 1, None]}


BEYOND = (r"(?!x)y", r"(?<=x)y", r"(a)\1", r"\bword\b", r"(?i)a", r"(?P<a>b)", r"\p{L}")
"""Patterns that not every provider's grammar takes."""
PLAIN = (r"^\(\?!x\)$", r"\\bword", r"(?:a|b)\n", "^[一-龥]+$")
SEVERAL = {"type": ["integer", "array", "null"], "minimum": 1, "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("stated", "written"),
    [
        ({"allOf": [{"type": "string"}]}, {"type": "string"}),
        *(({"type": "string", "pattern": one}, {"type": "string"}) for one in BEYOND),
        *(({"type": "string", "pattern": one}, {"type": "string", "pattern": one}) for one in PLAIN),
        (SEVERAL, SEVERAL),
    ],
)
def test_schema_of_a_field_is_written_as_a_provider_takes_it(stated: dict[str, Any], written: dict[str, Any]) -> None:
    made = strict_schema({"type": "object", "properties": {"f": stated}, "required": ["f"]})
    assert made["properties"]["f"] == written
    assert broken_rules(made) == []


def test_named_tuple_of_equal_items_is_an_array_though_their_titles_differ() -> None:
    assert strict_schema(of(Point))["$defs"]["Point"] == strict(tuple[float, float])


def test_object_without_fields_stays_one() -> None:
    made = strict_schema({"type": "object", "properties": {}})
    assert made == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


# --- what cannot be said ------------------------------------------------------------------------------------


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    known: int


@pytest.mark.parametrize(
    ("field", "path", "reason"),
    [
        (dict[str, int], "$.f", "free keys"),
        (Open, "$.f", "free keys"),
        (list[dict[str, Any]], "$.f[]", "free keys"),
        (Any, "$.f", "any type"),
        (list[Any], "$.f[]", "any type"),
        (tuple[int, str], "$.f", "tuple"),
        (dict[str, Item] | Item, "$.f", "free keys"),
    ],
    ids=str,
)
def test_type_that_strict_mode_cannot_express_is_refused_with_its_place(field: Any, path: str, reason: str) -> None:  # noqa: ANN401 - any type
    assert refused(of(field))[0] == path
    assert reason in refused(of(field))[1]


@pytest.mark.parametrize(
    "root", [list[Item], Item | Node, Item | None, Annotated[Cat | Dog, Field(discriminator="kind")]]
)
def test_root_that_is_no_object_is_refused(root: Any) -> None:  # noqa: ANN401 - any type
    path, reason = refused(TypeAdapter(root).json_schema())
    assert (path, "the root has to be an object" in reason) == ("$", True)


UNKNOWN = (
    {"allOf": [{"type": "string"}, {"type": "string"}]},
    {"allOf": [True]},
    {"type": "string", "not": {"const": "a"}},
    {"type": "string", "if": {}, "then": {}},
    {"$ref": "#/elsewhere"},
    {"$ref": "#/$defs/Missing"},
    {"type": "object", "properties": {}, "anyOf": [{"type": "object", "properties": {}}]},
    {"enum": [{"a": 1}]},
    {"type": "object", "properties": {}, "patternProperties": {"a": {}}},
)
UNTYPED: tuple[object, ...] = (True, {}, {"type": []}, {"type": "any"}, {"description": "anything"})
OPEN_TUPLE = {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "string"}}
"""Pydantic writes none."""


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        *((one, "does not support") for one in UNKNOWN),
        *((one, "any type") for one in UNTYPED),
        (OPEN_TUPLE, "tuple"),
    ],
    ids=str,
)
def test_schema_of_a_field_that_strict_mode_cannot_express_is_refused(stated: object, told: str) -> None:
    path, reason = refused({"type": "object", "properties": {"f": stated}, "required": ["f"]})
    assert (path, told in reason) == ("$.f", True)


@pytest.mark.parametrize("stated", UNTYPED, ids=str)
def test_root_that_refers_to_a_value_of_any_type_is_refused(stated: object) -> None:
    path, reason = refused({"$ref": "#/$defs/Any", "$defs": {"Any": stated}})
    assert (path, "any type" in reason) == ("$", True)


def test_error_says_the_place_and_the_reason() -> None:
    with pytest.raises(NotStrictError, match=r"^\$\.f: 对象的键不固定.* \(an object with free keys"):
        strict_schema(of(dict[str, int]))


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
