"""A `Decimal` has the digits that were written, wherever it stands in the type."""

from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
)
from src.shared.infrastructure.parsing.as_json import says_more_than_floats

LONG = "0.1234567890123456789012345678901"


class Price(BaseModel):
    amount: Decimal
    rate: float = 0.0
    more: "list[Decimal | Price | None]" = []
    by_name: dict[str, Decimal] = {}
    any_: Annotated[Any, Field(alias="any")] = None


class Exact(BaseModel):
    x: Decimal
    key: int


class Rounded(BaseModel):
    x: float
    other: int


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    amount: Decimal
    rate: float = 0.0


@pytest.mark.parametrize("raw", ['{"amount": 1.10}', "{'amount': 1.10,}", '"{\\"amount\\": 1.10}"'])
def test_strict_model_gets_all_digits(raw: str) -> None:
    assert repr(parse_llm_json_output(raw, Strict).amount) == "Decimal('1.10')"


def test_decimals_in_lists_unions_objects_and_models_keep_their_digits() -> None:
    raw = f'{{"amount": 1.10, "more": [{LONG}, null, {{"amount": 2.50}}], "by_name": {{"a": 3.0}}}}'
    assert repr(parse_llm_json_output(raw, Price)) == repr(
        Price(
            amount=Decimal("1.10"),
            more=[Decimal(LONG), None, Price(amount=Decimal("2.50"))],
            by_name={"a": Decimal("3.0")},
        )
    )


def test_floats_beside_decimals_stay_floats() -> None:
    parsed = parse_llm_json_output('{"amount": 1.10, "rate": 2.50, "any": 3.50}', Price)
    assert (parsed.rate, type(parsed.rate), parsed.any_, type(parsed.any_)) == (2.5, float, 3.5, float)


def test_choice_of_a_union_is_the_one_that_fits() -> None:
    either: TypeAdapter[list[Exact | Rounded]] = TypeAdapter(list[Exact | Rounded])
    raw = '[{"x": 1.10, "other": 1}, {"x": 1.10, "key": 1}]'
    assert repr(parse_llm_json_output(raw, either)) == "[Rounded(x=1.1, other=1), Exact(x=Decimal('1.10'), key=1)]"


@pytest.mark.parametrize(
    ("dto_type", "value"),
    [
        (dict[str, Decimal | int], Decimal("1.10")),
        (dict[str, Decimal | float], 1.1),
        (dict[str, Decimal | str], Decimal("1.1")),
    ],
)
def test_number_in_a_union_of_plain_types(dto_type: Any, value: object) -> None:  # noqa: ANN401 - any type
    assert repr(parse_llm_json_output('{"x": 1.10}', dto_type)["x"]) == repr(value)


def test_normalizer_may_move_a_number() -> None:
    moved = parse_llm_json_output('{"总价": 1.10}', Price, normalizers=[lambda data: {"amount": data["总价"]}])
    assert repr(moved.amount) == "Decimal('1.10')"


def test_normalizer_may_put_the_same_number_in_two_places() -> None:
    def both(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"rate": data["amount"]}

    parsed = parse_llm_json_output('{"amount": 1.10}', Price, normalizers=[both])
    assert (repr(parsed.amount), parsed.rate) == ("Decimal('1.10')", 1.1)


def test_digits_stay_beside_a_python_object_that_a_normalizer_puts_in() -> None:
    parsed = parse_llm_json_output('{"amount": 1.10}', Price, normalizers=[lambda data: data | {"any": (1,)}])
    assert (repr(parsed.amount), parsed.any_) == ("Decimal('1.10')", (1,))


def test_digits_stay_where_a_validator_takes_nothing_but_numbers() -> None:
    class Checked(Price):
        @field_validator("rate", mode="before")
        @classmethod
        def whole(cls, value: float) -> int:
            return round(value)

    parsed = parse_llm_json_output('{"amount": 1.10, "rate": 2.50}', Checked)
    assert (repr(parsed.amount), parsed.rate) == ("Decimal('1.10')", 2)


def test_decimal_of_a_candidate_among_others_keeps_its_digits() -> None:
    assert repr(parse_llm_json_output('{"name": "x"} {"amount": 1.10}', Price).amount) == "Decimal('1.10')"


def test_what_is_wrong_with_a_decimal_is_said_of_the_number() -> None:
    class Cents(BaseModel):
        amount: Annotated[Decimal, Field(decimal_places=2)]

    assert repr(parse_llm_json_output('{"amount": 1.10}', Cents).amount) == "Decimal('1.10')"
    with pytest.raises(LLMJsonParseError, match="no more than 2 decimal places"):
        parse_llm_json_output('{"amount": 1.123}', Cents)


def test_decoded_numbers_are_floats_where_no_decimal_is_asked_for() -> None:
    assert type(decode_llm_json('{"x": 1.10}').data["x"]) is float


@given(
    st.decimals(allow_nan=False, allow_infinity=False).map(str)
    | st.from_regex(r"-?(0|[1-9][0-9]{0,20})\.[0-9]{1,20}", fullmatch=True)
)
def test_any_number_arrives_with_all_its_digits(number: str) -> None:
    parsed = parse_llm_json_output(f'{{"amount": {number}}}', Price)
    assert parsed.amount.as_tuple() == Decimal(number).as_tuple()


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,20})\.[0-9]{1,20}", fullmatch=True))
def test_text_that_holds_no_more_than_floats_gives_the_same_decimal_by_pydantic_alone(number: str) -> None:
    text = f'{{"amount": {number}}}'
    if not says_more_than_floats(text):
        assert Price.model_validate_json(text).amount.as_tuple() == Decimal(number).as_tuple()
