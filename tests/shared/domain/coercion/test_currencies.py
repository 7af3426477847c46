"""The currencies that amounts are read with, and numbers that are percentages without a sign."""

from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from src.shared.domain.coercion.currencies import CODES, SIGNS
from src.shared.domain.coercion.lenient import Amount, Lenient
from src.shared.domain.coercion.numbers import NumberMeaning
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from tools.benchmarks import currencies as written


class Price(BaseModel):
    price: Amount


class Share(BaseModel):
    share: Annotated[float, Lenient(NumberMeaning.PERCENT_OR_RATIO)] = 0
    exact: Annotated[Decimal, Lenient(NumberMeaning.PERCENT_OR_RATIO)] = Decimal(0)


@pytest.mark.parametrize("code", sorted(CODES - {"ALL", "TOP"}))
def test_every_code_may_stand_before_a_number(code: str) -> None:
    assert parse_llm_json_output(f'{{"price": "{code} 12.50"}}', Price).price == 12.5


@pytest.mark.parametrize("sign", sorted({*CODES, *SIGNS}))
def test_every_code_and_sign_may_stand_behind_a_number(sign: str) -> None:
    assert parse_llm_json_output(f'{{"price": "12.50 {sign}"}}', Price).price == 12.5


def test_two_currencies_are_refused_where_they_say() -> None:
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output('{"price": "R$ 5 PLN"}', Price)

    assert error.value.details["validation_errors"][0]["type"] == "coercion_not_exact"
    assert error.value.details["validation_places"][0]["column"] == 11


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"share": 85}', Share(share=0.85)),
        ('{"share": 0.85, "exact": 85.10}', Share(share=0.85, exact=Decimal("0.8510"))),
        ('{"share": 1, "exact": "85"}', Share(share=1, exact=Decimal("0.85"))),
    ],
)
def test_number_above_one_is_a_percentage_where_the_field_says_so(text: str, value: Any) -> None:  # noqa: ANN401 - a model
    assert repr(parse_llm_json_output(text, Share)) == repr(value)


def test_the_trace_has_the_number_as_it_was() -> None:
    (coercion,) = parse_llm_json_output_with_trace('{"share": 85}', Share).decoded.coercions

    assert (coercion.kind, coercion.path, coercion.before, coercion.after) == ("percent", "$.share", 85, 0.85)


@pytest.mark.parametrize("other", ["true", "null", "NaN"])
def test_what_is_no_number_is_for_the_type_to_refuse(other: str) -> None:
    with pytest.raises(LLMJsonParseError, match="不符合契约"):
        parse_llm_json_output(f'{{"exact": {other}}}', Share)


def test_the_table_is_what_babel_says(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("babel", reason="babel is not installed: python -m pip install babel")
    written.main()
    from src.shared.domain.coercion import currencies  # noqa: PLC0415 - its file

    assert currencies.__file__
    with open(currencies.__file__, encoding="utf-8") as file:  # noqa: PTH123 - as it stands
        assert file.read() == capsys.readouterr().out
