"""However a number is written, its magnitude is read whole or the text is refused."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output

MAGNITUDES = {
    "": 0, "百": 2, "千": 3, "万": 4, "百万": 6, "千万": 7, "亿": 8, "百亿": 10, "千亿": 11, "万亿": 12, "k": 3, "K": 3,
    "M": 6, "mn": 6, "B": 9, "bn": 9, "tn": 12, " thousand": 3, " million": 6, " billion": 9, " trillion": 12,
}  # fmt: skip
UNITS = ("", "元", "美元", " USD", "倍")
NUMBERS = st.decimals(min_value=-(10**15), max_value=10**15, places=3, allow_nan=False) | st.decimals(
    min_value=0, max_value=1000, places=6
)


class Figures(BaseModel):
    exact: Decimal
    nearest: float


class Whole(BaseModel):
    value: int


def grouped(number: Decimal, comma: str, point: str) -> str:
    return f"{number:,f}".translate(str.maketrans(",.", "\0\1")).replace("\0", comma).replace("\1", point)


EUROPEAN = (".", ",")
SIGNS = (("", "."), (",", "."), ("_", "."), EUROPEAN)


@given(NUMBERS, st.sampled_from(SIGNS), st.sampled_from(sorted(MAGNITUDES)), st.sampled_from(UNITS))
def test_no_magnitude_is_ever_lost(number: Decimal, signs: tuple[str, str], magnitude: str, unit: str) -> None:
    assume(signs != EUROPEAN or (magnitude + unit).isascii())  # in Chinese a comma is never of decimals
    text = f"{grouped(number, *signs)}{magnitude}{unit}"
    meant = Fraction(number) * 10 ** MAGNITUDES[magnitude]
    try:
        read = parse_llm_json_output(json.dumps({"exact": text, "nearest": text}), Figures, coerce=True)
    except LLMJsonParseError:
        return

    assert Fraction(read.exact) == meant
    assert read.nearest == float(meant)


@given(NUMBERS, st.sampled_from(sorted(MAGNITUDES)))
def test_a_number_with_a_magnitude_and_without_separators_is_read(number: Decimal, magnitude: str) -> None:
    text = f"{number.quantize(Decimal('0.01')):f}{magnitude}"
    read = parse_llm_json_output(json.dumps({"exact": text, "nearest": text}), Figures, coerce=True)

    assert Fraction(read.exact) == Fraction(number.quantize(Decimal("0.01"))) * 10 ** MAGNITUDES[magnitude]


@given(NUMBERS, st.sampled_from(sorted(MAGNITUDES)))
def test_a_whole_number_is_read_exactly_or_not_at_all(number: Decimal, magnitude: str) -> None:
    text = f"{number:f}{magnitude}"
    try:
        read = parse_llm_json_output(json.dumps({"value": text}), Whole, coerce=True)
    except LLMJsonParseError:
        return

    assert read.value == Fraction(number) * 10 ** MAGNITUDES[magnitude]


@given(st.text(alphabet="0123456789.,%+-~/ 万亿kMx元$eE_", max_size=12))
def test_any_text_of_such_characters_is_one_finite_number_or_refused(text: str) -> None:
    try:
        read = parse_llm_json_output(json.dumps({"exact": text, "nearest": text}), Figures, coerce=True)
    except LLMJsonParseError:
        return

    assert read.nearest == pytest.approx(float(read.exact))
    assert any(character.isdigit() for character in text)


BOUNDS = st.sampled_from([-1000, -100, -50, -1, -0.5, 0, 0.5, 1, 50, 100, 1000])


@given(BOUNDS, BOUNDS, st.integers(-100, 100))
def test_a_percentage_is_read_only_where_the_bounds_say_of_what(least: float, most: float, percent: int) -> None:
    model = create_model("M", value=(Annotated[float, Field(ge=least, le=most)], ...))
    try:
        value = parse_llm_json_output(json.dumps({"value": f"{percent}%"}), model, coerce=True).value  # type: ignore[attr-defined]  # made above
    except LLMJsonParseError:
        return

    is_share = max(abs(least), abs(most)) <= 1 or (0 < most <= 1 and least >= -1)
    assert value == (percent / 100 if is_share else percent)
    assert is_share or most == 100 or (least == -100 and most <= 0)
