"""Coercion goes through data of any depth and size, and reads an object only as what its keys show."""

import json
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from typing_extensions import TypeAliasType

from src.shared.domain.coercion.lenient import coercing
from src.shared.domain.coercion.plan import plan_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream
from tests.shared.domain.coercion.test_coercing_types import is_refused, read, value_of


class Tree(BaseModel):
    value: float = 0
    children: list["Tree"] = []


class Row(BaseModel):
    share: Annotated[float, Field(ge=0, le=1)] = 0
    name: str = ""


class Kind(StrEnum):
    CAT = "cat"
    DOG = "dog"


class Cat(BaseModel):
    kind: Literal[Kind.CAT] = Field(alias="type")
    weight: float


class Dog(BaseModel):
    kind: Literal[Kind.DOG] = Field(alias="type")
    weight: str


class First(BaseModel):
    version: Literal[1]
    weight: float


class Second(BaseModel):
    version: Literal[2]
    weight: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
Versions = Annotated[First | Second, Field(discriminator="version")]
Numbers = TypeAliasType("Numbers", "dict[str, Numbers] | list[Numbers] | float")


class Uncopied(list[Any]):
    def copy(self) -> list[Any]:
        pytest.fail("the elements were looked at")


@pytest.mark.parametrize("kind", [list[str], list[Any], set[str], tuple[str, ...]])
def test_elements_in_which_nothing_may_be_coerced_are_not_looked_at(kind: type) -> None:
    data = Uncopied(["a"] * 3)
    place = plan_of(TypeAdapter(kind).core_schema, json.loads, everything=True)

    assert place.coerce(data) == (data, [], [])


@pytest.mark.parametrize("depth", [100, 250])
def test_data_are_coerced_however_deep_they_are(depth: int) -> None:
    raw = '{"value": "5k", "children": [' * depth + '{"value": "5k"}' + "]}" * depth
    tree = parse_llm_json_output(raw, Tree, coerce=True)
    for _ in range(depth):
        tree = tree.children[0]

    assert tree.value == 5000


def test_every_doubt_in_many_rows_is_counted_in_linear_time() -> None:
    rows = [{"share": "1,234", "name": 1}] * 10_000
    with pytest.raises(LLMJsonParseError) as error:
        read({"rows": rows}, create_model("Rows", rows=(list[Row], ...)))

    assert error.value.details["validation_error_count"] == 20_000


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (list[Row], {"items": [{"share": 0.5}, {"share": 0.6}], "count": 2}),
        (list[dict[str, Any]], {"items": [{"share": 0.5}]}),
        (list[dict[str, Any]], {"first": {"share": 0.5}, "second": {"share": 0.6}}),
        (list[dict[str, Any]], {}),
    ],
)
def test_an_object_around_several_is_not_a_list_of_one(kind: Any, value: object) -> None:  # noqa: ANN401 - any type
    assert is_refused(kind, value)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (list[dict[str, Any]], {"share": 0.5}, [{"share": 0.5}]),
        (list[Row], {"share": "5%", "more": 1}, [Row(share=0.05)]),
        (list[Row], {"items": [{"share": 0.5}, {"share": 0.6}]}, [Row(share=0.5), Row(share=0.6)]),
        (list[Row], {"row": {"share": 0.5}}, [Row(share=0.5)]),
        (list[Pet], {"pets": [{"type": "cat", "weight": 5}]}, [Cat(type=Kind.CAT, weight=5)]),
        (list[Pet], {"type": "cat", "weight": "5k"}, [Cat(type=Kind.CAT, weight=5000)]),
        (Pet, {"type": "cat", "weight": "5k"}, Cat(type=Kind.CAT, weight=5000)),
        (Pet, {"type": "dog", "weight": "5k"}, Dog(type=Kind.DOG, weight="5k")),
        (Versions, {"version": 1, "weight": "5k"}, First(version=1, weight=5000)),
        (Versions, {"version": 2, "weight": "5k"}, Second(version=2, weight="5k")),
        (Numbers, {"a": ["5k", {"b": "1.2亿"}]}, {"a": [5000.0, {"b": 1.2e8}]}),
    ],
)
def test_an_object_is_read_as_what_its_keys_show(kind: Any, value: object, expected: object) -> None:  # noqa: ANN401 - any type
    assert value_of(kind, value) == expected


def test_a_key_belongs_to_the_field_that_is_read_from_it() -> None:
    class Swapped(BaseModel):
        name: str = Field(alias="value")
        value: float = Field(alias="amount")

    class Ignored(BaseModel):
        one: float = Field(alias="first")

    assert read({"value": "1,234", "amount": "5k"}, Swapped).name == "1,234"

    class ByName(Ignored):
        model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    assert read({"first": "5k", "one": "1,234"}, Ignored).one == 5000
    assert read({"one": "5k"}, ByName).one == 5000


def test_a_member_goes_by_all_its_names() -> None:
    class Advice(Enum):
        BUY = "b"
        ACCUMULATE = "b"  # noqa: PIE796 - a second name
        SELL = "s"

    assert value_of(Advice, "accumulate") is Advice.BUY


@pytest.mark.parametrize("text", ["1.234", "1,234", "about 5"])
def test_blanks_around_a_text_do_not_hide_its_doubt(text: str) -> None:
    assert is_refused(float, text + " " * 100)
    assert value_of(float, " " * 100 + "5k") == 5000


def test_a_stream_shows_the_object_and_closes_with_it() -> None:
    class Rows(BaseModel):
        rows: list[Row]

    stream = LLMJsonStream(coercing(Rows))
    snapshots = [stream.feed(character) for character in json.dumps({"rows": [{"share": "5%"}]})]

    assert snapshots[-1].value == stream.close(finished=True) == Rows(rows=[Row(share=0.05)])
