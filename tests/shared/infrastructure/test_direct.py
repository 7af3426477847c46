"""The short way: what it takes, and what it leaves to the long way."""

from decimal import Decimal

import pytest
from pydantic import BaseModel

from src.shared.domain.reading.reading import UNREAD
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.target_type import target_type
from tests.shared.reading import Score


class Exact(BaseModel):
    amount: Decimal
    note: str = ""


class Defaults(BaseModel):
    size: int = 1


@pytest.mark.parametrize("raw", ["", "[]", '{"score": "x"}', " " * 100 + '{"score": 1}', '{"x": NaN}', "\ud800"])
def test_text_that_does_not_fit_is_left_to_the_long_way(raw: str) -> None:
    assert validate_directly(raw, target_type(Score)) is UNREAD


def test_clean_text_that_fits_is_validated_at_once() -> None:
    assert validate_directly(' {"score": 1}\n', target_type(Score)) == Score(score=1)


def test_array_that_fits_is_validated() -> None:
    assert validate_directly('[{"score": 1}]', target_type(list[Score])) == [Score(score=1)]


def test_array_in_a_fence_is_left_to_the_long_way() -> None:
    assert validate_directly('```json\n[{"score": 1}]\n```', target_type(list[Score])) is UNREAD


def test_text_whose_characters_cannot_be_encoded_is_left_to_the_long_way() -> None:
    assert validate_directly('{"score": 1, "x": "\ud800"}', target_type(Score)) is UNREAD


@pytest.mark.parametrize("amount", ["1.10", "1e2", "0.1234567890123456789", "-1E-7"])
def test_number_that_a_float_does_not_hold_is_left_to_the_long_way_where_a_decimal_is_asked_for(amount: str) -> None:
    assert validate_directly(f'{{"amount": {amount}}}', target_type(Exact)) is UNREAD


@pytest.mark.parametrize("amount", ["1.1", "-0.25", "12", "123456789012345678901234567890"])
def test_number_that_a_float_or_an_integer_holds_is_read_at_once(amount: str) -> None:
    assert validate_directly(f'{{"amount": {amount}}}', target_type(Exact)) == Exact(amount=Decimal(amount))


@pytest.mark.parametrize("raw", ['{"error": "rate limit"}', "{}", "{'error': 1}"])
def test_object_with_none_of_the_fields_is_left_to_the_long_way(raw: str) -> None:
    assert validate_directly(raw, target_type(Defaults)) is UNREAD


def test_object_with_one_of_the_fields_is_read_at_once() -> None:
    assert validate_directly('{"size": 2, "error": ""}', target_type(Defaults)) == Defaults(size=2)
