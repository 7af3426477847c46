"""What a refusal says, and under which reason it is counted."""

import pytest
from pydantic import BaseModel

from src.modules.reparsing.domain.outcome import MESSAGE_LIMIT, Refused, refused, turned_away
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.infrastructure.llm_json import parse_llm_json_output


class Row(BaseModel):
    score: int


class Table(BaseModel):
    rows: list[Row]


def of_text(text: str, normalizer: object = None) -> Refused:
    normalizers = [normalizer] if normalizer else []
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text, Table, normalizers=normalizers)  # type: ignore[arg-type]
    return refused(caught.value)


def broken(data: dict[str, object]) -> dict[str, object]:
    raise KeyError(*data)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing", "no JSON object in the text"),
        ('{"rows": [', "the text is cut off here"),
        ('{"rows": [{"score": 1}, {"score": "high"}]}', "$.rows.score: int_parsing"),
        ("{}", "$.rows: missing"),
        ('{"rows": 1} or {"rows": 2}', "several different objects, none marked as the answer"),
    ],
)
def test_reason_names_the_cause_and_no_value_of_the_text(text: str, reason: str) -> None:
    assert of_text(text).reason == reason


def test_reason_names_the_normalizer_that_failed() -> None:
    assert of_text('{"rows": []}', broken).reason == "normalizer broken"


def test_error_without_a_stage_is_one_of_the_input() -> None:
    outcome = refused(AppException("no", code="OTHER"))
    assert (outcome.stage, outcome.reason) == ("input", "OTHER")


def test_cut_off_text_is_told_with_its_place() -> None:
    outcome = of_text('{"rows":\n[')
    assert (outcome.truncated, outcome.line, outcome.column) == (True, 2, 2)


def test_message_is_bounded() -> None:
    outcome = turned_away("input", Message("长" * 5_000, "long: " + "x" * 5_000))
    assert (len(outcome.message), outcome.reason) == (MESSAGE_LIMIT, "long")
