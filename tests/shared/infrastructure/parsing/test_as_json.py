"""Decoded data is validated as its JSON is: strict types can be satisfied, on every way and with normalizers."""

from datetime import date
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from tests.shared.reading import Score


class Side(Enum):
    BUY = "buy"


class Order(BaseModel):
    model_config = ConfigDict(strict=True)
    side: Side
    day: date
    id: UUID
    lots: tuple[int, ...]
    tags: set[str]


class Loose(BaseModel):
    value: Any
    day: date | None = None


ORDER = (
    '{"side": "buy", "day": "2024-01-05", "id": "12345678-1234-5678-1234-567812345678", "lots": [1, 2], "tags": ["a"]}'
)
READ = Order(
    side=Side.BUY,
    day=date(2024, 1, 5),
    id=UUID("12345678-1234-5678-1234-567812345678"),
    lots=(1, 2),
    tags={"a"},
)


@pytest.mark.parametrize(
    "raw", [ORDER, f"The order:\n```json\n{ORDER}\n```", ORDER.replace('"', "'"), f"So: {ORDER} ok"]
)
def test_strict_model_is_satisfied(raw: str) -> None:
    assert parse_llm_json_output(raw, Order) == READ
    assert parse_llm_json_output_with_trace(raw, Order).value == READ
    assert parse_llm_json_output(raw, Order, normalizers=[lambda data: data | {"lots": [1, 2]}]) == READ
    assert parse_llm_json_output(f'{{"name": "x"}} {raw}', Order) == READ


def test_strict_model_refuses_what_is_only_nearly_right() -> None:
    with pytest.raises(LLMJsonParseError, match="lots"):
        parse_llm_json_output(ORDER.replace("[1, 2]", '["1", 2]'), Order)


PYTHON_OBJECTS = [
    {"value": date(2024, 1, 5)},
    {"value": (1, 2)},
    {"value": {1: "a"}},
    {"value": Score(score=1)},
    {"value": object},
    {"value": "\ud800"},
]


@pytest.mark.parametrize("data", PYTHON_OBJECTS, ids=repr)
def test_python_object_that_a_normalizer_puts_in_stays_what_it_is(data: dict[str, Any]) -> None:
    assert parse_llm_json_output('{"x": 1}', Loose, normalizers=[lambda _: data]).value == data["value"]


def test_python_object_among_json_is_validated_as_python() -> None:
    day = date(2024, 1, 5)
    assert parse_llm_json_output("{}", Loose, normalizers=[lambda _: {"value": 1, "day": day}]).day == day


def test_object_that_holds_itself_is_refused() -> None:
    def knot(data: dict[str, Any]) -> dict[str, Any]:
        data["score"] = data
        return data

    with pytest.raises(LLMJsonParseError, match="score"):
        parse_llm_json_output('{"score": 1}', Score, normalizers=[knot])


@pytest.mark.parametrize(
    "raw", [r'{"value": "\ud800"}', *('{"value": ' + "[" * depth + "]" * depth + "}" for depth in (220, 400))]
)
def test_what_pydantics_decoder_does_not_read_is_read_all_the_same(raw: str) -> None:
    assert parse_llm_json_output(raw, Loose).value


@pytest.mark.parametrize(
    ("raw", "value"), [("1e400", float("inf")), ("-Infinity", float("-inf")), ("9" * 400, int("9" * 400))]
)
def test_number_without_an_end_and_one_of_many_digits_are_the_same_on_both_ways(raw: str, value: float) -> None:
    text = f'{{"value": {raw}}}'
    assert parse_llm_json_output(text, Loose).value == value
    assert parse_llm_json_output_with_trace(text, Loose).value.value == value


def test_not_a_number_goes_through_a_normalizer() -> None:
    value = parse_llm_json_output('{"value": NaN}', Loose, normalizers=[lambda data: data]).value
    assert value != value  # noqa: PLR0124 - what tells NaN
