"""Which parts of a type coercion reaches, and which it leaves alone."""

import json
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    TypeAdapter,
    create_model,
    model_validator,
)
from pydantic_core import core_schema
from typing_extensions import TypedDict

from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.coercion.lenient import (
    Amount,
    Lenient,
    LenientBool,
    LenientDate,
    LenientEnum,
    OneOrMany,
    OrNone,
    Percent,
    PercentPoints,
    coercing,
)
from src.shared.domain.coercion.numbers import NumberMeaning
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace


class Rating(Enum):
    BUY = "buy"
    HOLD = "hold"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Row(BaseModel):
    share: Annotated[float, Field(ge=0, le=1)]
    rating: Rating = Rating.HOLD


class Tree(BaseModel):
    value: float
    children: list["Tree"] = []


class Figures(TypedDict):
    revenue: float


@dataclass
class Deal:
    price: float


class AnyNumbersAndOne:
    """A tuple whose first items are any number."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> core_schema.CoreSchema:
        return core_schema.tuple_schema([core_schema.float_schema(), core_schema.int_schema()], variadic_item_index=0)


class Cat(BaseModel):
    kind: Literal["cat"]
    weight: float


class Dog(BaseModel):
    kind: Literal["dog"]
    weight: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


def read(data: object, dto: Any, **options: Any) -> Any:  # noqa: ANN401 - any type
    return parse_llm_json_output(json.dumps(data, ensure_ascii=False), dto, **({"coerce": True} | options))


def value_of(kind: Any, value: object, **options: Any) -> Any:  # noqa: ANN401 - any type
    return read({"value": value, "other": 1}, create_model("M", value=(kind, ...), other=(int, 0)), **options).value


def is_refused(kind: Any, value: object, **options: Any) -> bool:  # noqa: ANN401 - any type
    """Whether the value is what does not satisfy the type, and nothing beside it."""
    try:
        value_of(kind, value, **options)
    except LLMJsonParseError as error:
        return {problem["loc"][0] for problem in error.details["validation_errors"]} == {"value"}
    return False


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (list[Row], [{"share": "5%"}], [Row(share=0.05)]),
        (dict[str, Row], {"a": {"share": "5%"}}, {"a": Row(share=0.05)}),
        (dict[str, float], {"a": "5k"}, {"a": 5000.0}),
        (Tree, {"value": "1万", "children": [{"value": "2万"}]}, Tree(value=1e4, children=[Tree(value=2e4)])),
        (Figures, {"revenue": "2bn"}, {"revenue": 2e9}),
        (Deal, {"price": "$5"}, Deal(5)),
        (RootModel[list[float]], ["5k"], RootModel[list[float]]([5000])),
        (RootModel[dict[str, Row]], {"a": {"share": "5%"}}, RootModel[dict[str, Row]]({"a": Row(share=0.05)})),
        (list, ["5k"], ["5k"]),
        (tuple[float, Rating], ["5k", "BUY"], (5000.0, Rating.BUY)),
        (tuple[float, ...], ["5k", 1], (5000.0, 1.0)),
        (set[float], ["5k"], {5000.0}),
        (set[int], "5", {5}),
        (list[Row], {"share": 0.5}, [Row(share=0.5)]),
        (list[Row] | None, "N/A", None),
        (list[float], 5, [5.0]),
        (Level, "2", Level.HIGH),
        (Level, "low", Level.LOW),
        (Literal["A", 1], "a", "A"),
        (int | float, "5", 5),
        (int | float, "5.5", 5.5),
        (int | Rating, "Buy", Rating.BUY),
        (Row | list[float], {"share": "5%"}, Row(share=0.05)),
        (Row | list[float], ["5k"], [5000.0]),
        (Row | Deal, {"price": "$5"}, Deal(5)),
        (
            Annotated[Cat | Dog, Field(discriminator="kind")],
            {"kind": "cat", "weight": "5k"},
            Cat(kind="cat", weight=5e3),
        ),
        (
            Annotated[Cat | Dog, Field(discriminator="kind")],
            {"kind": "dog", "weight": "5k"},
            Dog(kind="dog", weight="5k"),
        ),
        (int | float | Decimal, "12", 12),
        (Annotated[float, Field(default=1.0)], "5k", 5000.0),
        (Annotated[Decimal, Field(lt=1)], "5%", Decimal("0.05")),
        (date | None, "2025/11/12", date(2025, 11, 12)),
        (datetime, "2025/11/12", datetime(2025, 11, 12)),  # noqa: DTZ001 - the text names no zone
    ],
)
def test_values_are_read_as_the_type_of_their_field(kind: Any, value: object, expected: object) -> None:  # noqa: ANN401 - any type
    assert value_of(kind, value) == expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, "85%"),
        (str | None, "N/A"),
        (int | str, "5"),
        (float | str, "1.234"),
        (Any, "5"),
        (list[str] | str, "a, b"),
        (Rating | str, "BUY"),
        (bytes, "5"),
    ],
)
def test_a_text_is_left_alone_where_a_text_is_allowed(kind: Any, value: object) -> None:  # noqa: ANN401 - any type
    assert value_of(kind, value) == value_of(kind, value, coerce=False)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (list[Row], "a text"),
        (Row, ["5%"]),
        (dict[str, float], ["5%"]),
        (list[list[float]], "5"),
        (list[Rating], {"a": 1}),
        (list[float], None),
        (float, [1]),
        (float, "5k" * 40),
        (Rating, "buy" * 40),
        (date, "2025/11/12" * 8),
        (bool | None, "无"),
        (float | date, "20251112"),
        (Row | Tree, {"share": "5%", "value": "1万"}),
        (Annotated[float, Field(le=50)], "5%"),
        (int | float, "1.234"),
        (AnyNumbersAndOne, ["5k", "6k", 1]),
    ],
)
def test_what_cannot_be_read_for_certain_is_refused(kind: Any, value: object) -> None:  # noqa: ANN401 - any type
    assert is_refused(kind, value)


def test_aliases_are_followed_and_paths_into_other_values_are_not() -> None:
    class Aliased(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        one: float = Field(alias="first")
        two: float = Field(default=0, validation_alias=AliasChoices("second", AliasPath("deep", "second")))
        three: list[Row] = Field(default=[], validation_alias=AliasPath("rows", "all"))

    data = {"first": "1k", "second": "2k", "rows": {"all": [{"share": 0.5}]}}

    assert read(data, Aliased).model_dump() == {
        "one": 1e3,
        "two": 2e3,
        "three": [{"share": 0.5, "rating": Rating.HOLD}],
    }
    assert read({"one": "1k"}, Aliased).one == 1e3


def test_a_union_told_apart_by_a_function_is_left_alone() -> None:
    def kind_of(value: Any) -> str:  # noqa: ANN401 - what Pydantic gives
        return "row" if "share" in value else "tree"

    union = Annotated[Annotated[Row, Tag("row")] | Annotated[Tree, Tag("tree")], Discriminator(kind_of)]

    assert is_refused(union, {"share": "5%"})
    assert value_of(union, {"share": 0.05}) == Row(share=0.05)


def test_what_a_validator_of_the_program_sees_first_is_left_to_it() -> None:
    class Own(BaseModel):
        share: Annotated[float, BeforeValidator(lambda text: float(text.strip("%")))]

    class Whole(BaseModel):
        share: float

        @model_validator(mode="before")
        @classmethod
        def strip(cls, data: Any) -> Any:  # noqa: ANN401 - what Pydantic gives
            return {"share": float(data["share"].strip("%"))}

    assert read({"share": "85%"}, Own).share == 85
    assert read({"share": "85%"}, Whole).share == 85


def test_a_strict_model_is_satisfied_by_what_was_coerced() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        amount: float
        day: date
        exact: Decimal
        rating: Rating

    data = {"amount": "5k", "day": "2025年1月2日", "exact": "1.2亿", "rating": "Buy"}

    assert read(data, Strict) == Strict(amount=5e3, day=date(2025, 1, 2), exact=Decimal(120_000_000), rating=Rating.BUY)


class Marked(BaseModel):
    share: Percent = 0.0
    points: PercentPoints = 0.0
    amount: Amount = 0.0
    flag: LenientBool = False
    day: LenientDate = date(2000, 1, 1)
    rating: LenientEnum[Rating] = Rating.HOLD
    risks: OneOrMany[str] = []
    note: OrNone[str] = None
    exact: Annotated[Decimal, Lenient(NumberMeaning.AMOUNT)] = Decimal(0)
    plain: int = 0


MARKED = {
    "share": "85%",
    "points": "85%",
    "amount": "1.2亿",
    "flag": "是",
    "day": "2025/1/2",
    "rating": "Buy",
    "risks": "policy",
    "note": "N/A",
    "exact": "0.1万",
}


def test_marked_fields_are_coerced_without_the_option() -> None:
    assert read(MARKED, Marked, coerce=False) == Marked(
        share=0.85, points=85, amount=1.2e8, flag=True, day=date(2025, 1, 2), rating=Rating.BUY, risks=["policy"],
        note=None, exact=Decimal(1000),
    )  # fmt: skip


def test_of_several_types_only_the_marked_one_is_coerced() -> None:
    assert value_of(Percent | date, "5%", coerce=False) == 0.05
    assert is_refused(Percent | date, "2025/11/12", coerce=False)
    assert is_refused(Percent | Rating, "BUY", coerce=False)
    with pytest.raises(LLMJsonParseError) as error:
        read({"plain": "5k"}, Marked, coerce=False)
    assert error.value.details["validation_errors"][0]["type"] == "int_parsing"


def test_without_the_option_and_a_mark_nothing_changes() -> None:
    parsed = parse_llm_json_output_with_trace('{"value": "5"}', create_model("M", value=(float, ...)))

    assert parsed.decoded.coercions == ()
    assert is_refused(float, "5k", coerce=False)


def test_marks_change_neither_the_schema_nor_what_pydantic_takes() -> None:
    schema = TypeAdapter(Percent).json_schema()

    assert schema == {"type": "number"}
    assert Marked(share=0.5).share == 0.5


def test_a_type_can_be_made_to_coerce_for_whatever_takes_a_type() -> None:
    given: TypeAdapter[Row] = coercing(Row)

    assert read({"share": "5%"}, given, coerce=False) == Row(share=0.05)
    assert read({"share": "5%"}, coercing(TypeAdapter(Row)), coerce=False) == Row(share=0.05)


def test_a_mark_may_reach_all_of_a_field() -> None:
    class Report(BaseModel):
        rows: Annotated[list[Row], Lenient(deep=True)]
        plain: float = 0

    assert read({"rows": [{"share": "5%"}]}, Report, coerce=False).rows == [Row(share=0.05)]
    with pytest.raises(LLMJsonParseError) as caught:
        read({"rows": [], "plain": "5k"}, Report, coerce=False)
    assert caught.value.details["validation_errors"][0]["loc"] == ("plain",)


def test_a_json_schema_says_nothing_of_what_a_value_means() -> None:
    schema = JsonSchema({"type": "object", "properties": {"share": {"type": "number"}}, "required": ["share"]})

    with pytest.raises(LLMJsonParseError) as caught:
        read({"share": "5%"}, schema)
    assert caught.value.details["validation_errors"][0]["loc"] == ("share",)


def test_trace_names_each_value_in_the_order_of_the_data() -> None:
    raw = """{"rows": [{'share': "5%"}, {"share": 0.5}, {"share": "50 %", "rating": "Buy (买入)"}]}"""
    report = create_model("Report", rows=(list[Row], ...))
    decoded = parse_llm_json_output_with_trace(raw, report, coerce=True).decoded

    assert decoded.coercions == (
        Coercion(CoercionKind.PERCENT, "$.rows[0].share", "5%", 0.05),
        Coercion(CoercionKind.PERCENT, "$.rows[2].share", "50 %", 0.5),
        Coercion(CoercionKind.CHOICE_GLOSS, "$.rows[2].rating", "Buy (买入)", "buy"),
    )
    assert decoded.data["rows"][0] == {"share": "5%"}
    assert len(decoded.repairs) == 1


def test_doubts_and_other_problems_are_told_together() -> None:
    model = create_model("M", one=(float, ...), two=(int, ...), three=(list[float], ...))

    with pytest.raises(LLMJsonParseError) as error:
        read({"one": "1,234", "two": "x", "three": ["5-7"]}, model)

    problems = {problem["loc"]: problem["type"] for problem in error.value.details["validation_errors"]}
    assert problems == {
        ("one",): "coercion_two_readings",
        ("two",): "int_parsing",
        ("three", 0): "coercion_not_exact",
    }
    assert "1.234 或 1234" in error.value.feedback()


def test_normalizers_run_before_coercion() -> None:
    assert value_of(float, None, normalizers=[lambda data: {**data, "value": "5k"}]) == 5000


def test_crash_of_a_validator_is_told_as_such() -> None:
    def crash(_: float) -> float:
        raise KeyError

    with pytest.raises(LLMJsonParseError, match="KeyError"):
        value_of(Annotated[float, Field(), BeforeValidator(crash)], "5k")
