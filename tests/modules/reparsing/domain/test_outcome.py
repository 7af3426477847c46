"""What a refusal says, under which reason it is counted, and what is noted of a text."""

import pytest
from pydantic import BaseModel

from src.modules.reparsing.domain.outcome import MESSAGE_LIMIT, RowOutcome, refusal_at, refusal_of, text_outcome
from src.modules.reparsing.domain.record import Record
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.ports.events import ParseOutcome
from src.shared.infrastructure.llm_json import parse_llm_json_output


class Table(BaseModel):
    rows: list[dict[str, int]]


def of_text(text: str, *normalizers: object) -> RowOutcome:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text, Table, normalizers=normalizers)  # type: ignore[arg-type]
    return refusal_of(caught.value)


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
    outcome = refusal_of(AppException("no", code="OTHER"))
    assert (outcome.stage, outcome.reason) == ("input", "OTHER")


def test_cut_off_text_is_told_with_its_place() -> None:
    row = of_text('{"rows":\n[').row
    assert (row["truncated"], row["line"], row["column"]) == (True, 2, 2)


def test_message_is_bounded() -> None:
    outcome = refusal_at("input", Message("长" * 5_000, "long: " + "x" * 5_000))
    assert (len(outcome.row["message"]), outcome.reason) == (MESSAGE_LIMIT, "long")


READ = RowOutcome({"repairs": [{"kind": "comment"}] * 2})
NO = Message("不", "no")


@pytest.mark.parametrize(
    ("outcome", "characters", "expected"),
    [
        (RowOutcome({"repairs": []}), 0, (ParseOutcome.CLEAN, "", {}, None)),
        (READ, 0, (ParseOutcome.REPAIRED, "", {"comment": 2}, None)),
        (READ, 2, (ParseOutcome.REPAIRED, "", {"comment": 2}, "te")),
        (refusal_at("empty", NO), 9, (ParseOutcome.REFUSED, "empty", {}, "text")),
    ],
)
def test_text_that_reached_the_parser_is_an_outcome_with_as_much_of_it_as_is_wanted(
    outcome: RowOutcome, characters: int, expected: tuple[object, ...]
) -> None:
    found = text_outcome(Record("in.jsonl:1", "1", "text", "verdict", model="m"), outcome, characters)

    assert found
    assert (found.agent, found.model, found.length) == ("verdict", "m", 4)
    assert (found.outcome, found.stage, found.kinds, found.text) == expected


def test_row_that_never_reached_the_parser_is_none() -> None:
    assert text_outcome(Record("in.jsonl:1", "1", "text"), refusal_at("input", NO), 9) is None
