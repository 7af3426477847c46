"""Every result says in one word how sure it is, and `accept` refuses those that are less sure."""

from typing import Any, get_args

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from src.shared.domain.coercion.lenient import Amount
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Accept, Grade
from src.shared.infrastructure.llm_json import (
    parse_llm_json_output,
)


class Price(BaseModel):
    item: str
    price: float | None = None


class Sale(BaseModel):
    total: Amount


GRADED = {
    '{"item": "tea"}': "clean",
    ' \n{"item": "tea"}\n': "clean",
    'Here: {"item": "tea"}': "wrapped",
    '```json\n{"item": "tea"}\n```': "wrapped",
    '<think>tea</think>{"item": "tea"}': "wrapped",
    "{'item': 'tea'}": "lossless",
    '{"item": "tea",}': "lossless",
    '{"item": "green "tea""}': "lossless",
    '{"item": "tea", "price": None}': "read",
    '{"item": "tea", "price": 1_000}': "read",
    '{"item": "tea" /* green */}': "read",
    '{"item": "\\d"}': "read",
    '{"item": "tea", "item": "mate"}': "chosen",
    '{"other": 1} {"item": "tea"}': "chosen",
}


def refusal(text: str, accept: Accept) -> dict[str, Any]:
    with pytest.raises(LLMJsonParseError) as refused:
        parse_llm_json_output(text, Price, accept=accept)
    return refused.value.details


@pytest.mark.parametrize("accept", get_args(Accept))
@pytest.mark.parametrize("text", GRADED)
def test_what_is_less_sure_than_accepted_is_refused_and_nothing_else(text: str, accept: Accept) -> None:
    if Grade(GRADED[text]).is_behind(Grade(accept)):
        assert refusal(text, accept)["grade"] == GRADED[text]
    else:
        assert parse_llm_json_output(text, Price, accept=accept) == parse_llm_json_output(text, Price)


def test_refusal_names_the_first_edit_behind_the_grade_and_its_place() -> None:
    details = refusal('{"item": "tea",\n "price": None,}', "lossless")
    assert details == {
        "stage": "accept",
        "raw_length": 32,
        "json_error": "graded read",
        "position": {"line": 2, "column": 11, "offset": 26},
        "repairs": ["python_literal", "trailing_comma"],
        "grade": "read",
        "accept": "lossless",
        "cause": "python_literal",
    }


def test_refusal_names_the_place_of_what_was_passed_over() -> None:
    details = refusal('{"other": 1} {"item": "tea"}', "read")
    assert (details["cause"], details["position"]["column"]) == ("passed_over", 1)


@pytest.mark.parametrize(("text", "column"), [('Here: {"item": "tea"}', 1), ('{"item": "tea"} there', 17)])
def test_refusal_names_the_place_of_the_text_around(text: str, column: int) -> None:
    details = refusal(text, "clean")
    assert (details["cause"], details["position"]["column"]) == ("wrapping", column)


def test_refusal_names_the_path_of_a_coerced_value() -> None:
    with pytest.raises(LLMJsonParseError) as refused:
        parse_llm_json_output('{"total": "1.2亿"}', Sale, accept="lossless")
    assert (refused.value.details["path"], "position" in refused.value.details) == ("$.total", False)


def test_message_of_the_refusal_says_grade_and_place() -> None:
    with pytest.raises(LLMJsonParseError, match="第 1 行第 15 列为 trailing_comma") as refused:
        parse_llm_json_output('{"item": "tea",}', Price, accept="clean")
    assert "lossless" in refused.value.message


def test_grade_that_there_is_not_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="accept must be one of clean, wrapped"):
        parse_llm_json_output("{}", Price, accept="sure")  # type: ignore[call-overload]


def test_log_of_a_repaired_text_has_the_grade() -> None:
    with capture_logs() as lines:
        parse_llm_json_output("{'item': 'tea', 'price': None}", Price)
    assert [line["grade"] for line in lines if line["event"] == "llm_json_repaired"] == ["read"]
