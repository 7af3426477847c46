"""Any type that Pydantic reads from a JSON object or array can be asked for, and its root is the one looked for."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    model_validator,
)
from pydantic import dataclasses as pydantic_dataclasses
from pydantic.errors import PydanticUserError
from typing_extensions import TypedDict

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace


class Item(BaseModel):
    n: int


@dataclass
class Point:
    n: int


@pydantic_dataclasses.dataclass
class Place:
    n: int


class Options(TypedDict):
    n: int


Parse = Callable[..., Any]


def traced(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - any type
    return parse_llm_json_output_with_trace(*arguments, **options).value


both_ways = pytest.mark.parametrize("parse", [parse_llm_json_output, traced], ids=["value", "with evidence"])


def refusal(raw: str, dto_type: Any, **options: Any) -> LLMJsonParseError:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, dto_type, **options)
    return caught.value


OBJECTS: list[tuple[Any, Any]] = [
    (Item, Item(n=1)),
    (Point, Point(1)),
    (Place, Place(1)),
    (Options, {"n": 1}),
    (dict[str, int], {"n": 1}),
    (RootModel[dict[str, int]], RootModel[dict[str, int]]({"n": 1})),
    (Annotated[Item, Field(description="What was bought.")], Item(n=1)),
    (TypeAdapter(Item | None), Item(n=1)),
    (TypeAdapter(Point | list[Point]), Point(1)),
]
ARRAYS: list[tuple[Any, Any]] = [
    (list[Item], [Item(n=1)]),
    (RootModel[list[Item]], RootModel[list[Item]]([Item(n=1)])),
    (tuple[Point, ...], (Point(1),)),
    (TypeAdapter(list[Options]), [{"n": 1}]),
    (TypeAdapter(Point | list[Point]), [Point(1)]),
]


@both_ways
@pytest.mark.parametrize("around", ["{}", "Sure:\n```json\n{}\n```", "<think>no</think>{}", "It is {} as asked."])
@pytest.mark.parametrize(("dto_type", "value"), OBJECTS)
def test_type_read_from_an_object_is_given_the_object(parse: Parse, around: str, dto_type: Any, value: Any) -> None:  # noqa: ANN401
    assert parse(around.replace("{}", '{"n": 1}'), dto_type) == value
    assert parse(around.replace("{}", "{'n': 1,}"), dto_type) == value


@both_ways
@pytest.mark.parametrize("around", ["{}", "Sure:\n```json\n{}\n```", "<think>no</think>{}", "It is {} as asked."])
@pytest.mark.parametrize(("dto_type", "value"), ARRAYS)
def test_type_read_from_an_array_is_given_the_array(parse: Parse, around: str, dto_type: Any, value: Any) -> None:  # noqa: ANN401
    assert parse(around.replace("{}", '[{"n": 1}]'), dto_type) == value
    assert parse(around.replace("{}", "[{'n': 1,},]"), dto_type) == value


@pytest.mark.parametrize(
    ("dto_type", "root", "asked_for"),
    [
        (Item, None, "complete JSON object only"),
        (list[Item], "array", "complete JSON array only"),
        (TypeAdapter(Item | list[Item]), "any", "complete JSON object or array only"),
    ],
)
def test_error_and_feedback_name_the_root_that_was_looked_for(dto_type: Any, root: str | None, asked_for: str) -> None:  # noqa: ANN401
    error = refusal("no", dto_type)
    assert (error.details.get("root"), asked_for in error.feedback()) == (root, True)


@pytest.mark.parametrize(
    "dto_type", [int, str, Literal["x"], TypeAdapter(bool), None, 42, Item(n=1), "Item", BaseModel]
)
@pytest.mark.parametrize("raw", ['{"n": 1}', "no", "", None])
def test_what_is_no_type_for_an_answer_is_a_mistake_of_the_programs_whatever_the_text(dto_type: Any, raw: str) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match=r"is neither an object nor|is not a type that|has no fields"):
        parse_llm_json_output(raw, dto_type)


def test_refused_type_is_named_with_what_to_pass() -> None:
    with pytest.raises(TypeError, match=r"JSON of int is neither .* pass a model, .* TypeAdapter of one"):
        parse_llm_json_output("{}", int)


def add(a: int, b: int = 0) -> int:
    return a + b


@pytest.mark.parametrize(
    ("dto_type", "named"),
    [
        (json.loads, "the function loads"),
        (len, "the function len"),
        (Item.model_validate, "the function BaseModel.model_validate"),
        (partial(add, 1), "a partial of the function add"),
        (TypeAdapter(add), "the function add"),  # type: ignore[arg-type]  # that is the mistake
        (json, "the module json"),
        (Item(n=1), "an object of Item"),
        (Ellipsis, "Ellipsis"),
    ],
    ids=lambda value: value if isinstance(value, str) else "type",
)
def test_code_and_objects_are_no_types_and_are_named_without_paths_or_data(dto_type: Any, named: str) -> None:  # noqa: ANN401
    with pytest.raises(TypeError) as caught:
        parse_llm_json_output('{"n": 1}', dto_type)

    assert str(caught.value) == f"{named} is not a type that Pydantic reads"


def test_a_dict_for_a_type_is_told_what_a_schema_is_passed_as() -> None:
    with pytest.raises(TypeError, match=r"^a dict is not a type; for a JSON Schema pass JsonSchema\(schema\)$"):
        parse_llm_json_output("{}", {"type": "object"})  # type: ignore[call-overload]  # that is the mistake


def test_a_function_among_several_types_is_read_from_no_json() -> None:
    union: Any = Item | Annotated[add, "never called"]

    assert parse_llm_json_output('{"n": 1}', TypeAdapter(union)) == Item(n=1)


def test_type_with_a_name_that_is_not_defined_is_a_mistake_of_the_programs() -> None:
    with pytest.raises(PydanticUserError, match="Missing"):
        parse_llm_json_output("no", list["Missing"])  # type: ignore[name-defined]  # noqa: F821 - that is the mistake


def test_error_names_the_type_without_its_modules() -> None:
    assert "不符合契约 list[Item]：0.n: Input should be a valid integer" in refusal('[{"n": "x"}]', list[Item]).message


def test_normalizer_is_given_the_array() -> None:
    def unwrap(data: list[Any]) -> list[Any]:
        return [one["item"] for one in data]

    assert parse_llm_json_output('[{"item": {"n": 1}}]', list[Item], normalizers=[unwrap]) == [Item(n=1)]


@pytest.mark.parametrize(
    ("dto_type", "raw", "wanted"),
    [
        (Item, '{"n": 1}', "not dict"),
        (list[Item], "[]", "not list"),
        (TypeAdapter(Item | list[Item]), "[]", "not dict or list"),
    ],
)
def test_normalizer_that_returns_another_root_is_named(dto_type: Any, raw: str, wanted: str) -> None:  # noqa: ANN401
    error = refusal(raw, dto_type, normalizers=[lambda _: 3])
    assert error.details["normalizer_error"] == f"returned int, {wanted}"


def test_alias_choices_are_keys_of_the_type() -> None:
    class Either(BaseModel):
        a: int
        b: int = Field(0, validation_alias=AliasChoices("b", "B"))

    assert refusal('Answer: {"a": 1} or {"B": 2}', Either).details["stage"] == "extract"


def test_alias_path_is_a_key_of_the_type() -> None:
    class Deep(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        a: int = Field(0, validation_alias="outer")

    assert parse_llm_json_output('{"outer": 1}', Deep).a == 1


# --- a validator that fails ---------------------------------------------------------------------------------


# --- an object with none of the fields ----------------------------------------------------------------------


class Defaults(BaseModel):
    size: int = 1
    note: str = Field("", alias="Note")


class Reshaped(BaseModel):
    size: int = 1

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:  # noqa: ANN401 - as Pydantic calls it
        from pydantic_core import core_schema  # noqa: PLC0415 - for this type alone

        return core_schema.no_info_before_validator_function(lambda data: data.get("result", data), handler(source))


@dataclass
class PlainDefaults:
    size: int = 1


class Switches(TypedDict, total=False):
    size: int


class OpenDefaults(Defaults):
    model_config = ConfigDict(extra="allow")


@both_ways
@pytest.mark.parametrize("raw", ['{"error": "rate limit"}', "{}", "{'error': 1,}", 'So: {"error": 1}'])
@pytest.mark.parametrize(
    "dto_type",
    [
        *(Defaults, PlainDefaults, Switches, Reshaped, OpenDefaults, RootModel[Defaults]),
        TypeAdapter(Defaults | list[Defaults]),
    ],
)
def test_object_with_none_of_the_fields_is_no_answer_whatever_the_defaults(
    parse: Parse,
    raw: str,
    dto_type: Any,  # noqa: ANN401
) -> None:
    with pytest.raises(
        LLMJsonParseError, match=r"不符合契约 .*没有任何一个字段 \(none of the fields is there: "
    ) as caught:
        parse(raw, dto_type)
    assert caught.value.details["stage"] == "validate"


@both_ways
@pytest.mark.parametrize(
    ("raw", "dto_type"),
    [
        ('{"size": 2, "error": ""}', Defaults),
        ('{"Note": "x"}', Defaults),
        ('{"result": {"size": 2}}', Reshaped),
        ('{"size": 2}', Switches),
        ("[]", list[Defaults]),
        ("{}", dict[str, int]),
        ("{}", RootModel[dict[str, int]]),
        ('{"x": {"error": 1}}', dict[str, Defaults]),
    ],
)
def test_object_with_a_field_or_with_free_keys_is_an_answer(parse: Parse, raw: str, dto_type: Any) -> None:  # noqa: ANN401
    assert parse(raw, dto_type) == TypeAdapter(dto_type).validate_json(raw)


def test_model_that_sets_a_field_itself_takes_no_foreign_object() -> None:
    class Counted(BaseModel):
        size: int = 1
        twice: int = 0

        @model_validator(mode="after")
        def count(self) -> "Counted":
            self.twice = 2 * self.size
            return self

    assert parse_llm_json_output('{"size": 2}', Counted).twice == 4
    assert "none of the fields is there" in refusal('{"error": 1}', Counted).message


def test_model_without_fields_takes_any_object() -> None:
    class Anything(BaseModel):
        model_config = ConfigDict(extra="allow")

    assert parse_llm_json_output("{}", Anything) == Anything()


def test_only_some_of_many_fields_are_named() -> None:
    class Many(BaseModel):
        model_config = ConfigDict(extra="ignore")
        a: int = 0
        b: int = 0
        c: int = 0
        d: int = 0
        e: int = 0
        f: int = 0
        g: int = 0
        h: int = 0
        i: int = 0

    assert "none of the fields is there: a, b, c, d, e, f, g, h, …" in refusal("{}", Many).message
