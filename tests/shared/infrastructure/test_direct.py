"""Which types may be validated straight from clean JSON: those for which it makes no difference."""

from datetime import date
from decimal import Decimal
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.shared.infrastructure.direct import is_same_in_both, validate_directly
from tests.shared.reading import Score


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    score: int


class Dated(BaseModel):
    day: date


class Exact(BaseModel):
    amount: Decimal


class Levels(BaseModel):
    level: Literal[1, 2]


class Spelled(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)
    version: str


class SpelledField(BaseModel):
    version: str = Field(coerce_numbers_to_str=True)


class Unfinished(BaseModel):
    other: "Later"  # type: ignore[name-defined]  # noqa: F821 - never defined


@pytest.mark.parametrize("dto_type", [Score, MacroIntelligenceResultDTO])
def test_type_of_plain_parts_goes_the_short_way(dto_type: type[BaseModel]) -> None:
    assert is_same_in_both(dto_type)


@pytest.mark.parametrize("dto_type", [Strict, Dated, Exact, Levels, Spelled, SpelledField, Unfinished])
def test_type_that_reads_json_and_python_differently_goes_the_long_way(dto_type: type[BaseModel]) -> None:
    assert not is_same_in_both(dto_type)


@pytest.mark.parametrize("raw", ["", "[]", '{"score": "x"}', " " * 100 + '{"score": 1}', '{"x": NaN}', "\ud800"])
def test_text_that_does_not_fit_is_left_to_the_long_way(raw: str) -> None:
    assert validate_directly(raw, Score) is None


def test_clean_text_that_fits_is_validated_and_has_no_repairs() -> None:
    assert validate_directly(' {"score": 1}\n', Score) == (Score(score=1), {})


def test_text_whose_characters_cannot_be_encoded_is_left_to_the_long_way() -> None:
    assert validate_directly('{"score": 1, "x": "\ud800"}', Score) is None
