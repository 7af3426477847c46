"""Normalizers change what is decoded before the type sees it, each candidate for itself."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output, parse_llm_json_output_with_trace
from tests.shared.reading import Score, refusal_by
from tests.tables.types import type_of


def renamed(data: dict[str, Any]) -> dict[str, Any]:
    """The score under its English name; the object that is given loses it."""
    return {"score": data.pop("分")}


def test_normalizers_run_on_the_decoded_data() -> None:
    assert decode_llm_json('{"a": 1}', normalizers=[lambda data: data | {"b": 2}]).data == {"a": 1, "b": 2}
    assert decode_llm_json("[1]", root="array", normalizers=[lambda data: [*data, 2]]).data == [1, 2]


def test_hook_that_changes_its_object_in_place_sees_each_candidate_unchanged() -> None:
    output = parse_llm_json_output_with_trace('{"x": 0} {"分": 1}', Score, normalizers=[renamed])
    assert (output.value, output.decoded.data) == (Score(score=1), {"score": 1})


def test_evidence_holds_the_object_as_the_normalizers_left_it() -> None:
    output = parse_llm_json_output_with_trace('{"分": 3}', Score, normalizers=[renamed])
    assert (output.value, output.decoded.data) == (Score(score=3), {"score": 3})


def test_field_that_a_hook_puts_into_any_object_says_nothing_about_one() -> None:
    def fill(data: dict[str, Any]) -> dict[str, Any]:
        return {"score": 0} | data

    assert parse_llm_json_output('in {unit: "EUR"}: {"score": 1}', Score, normalizers=[fill]) == Score(score=1)


def test_hook_that_fails_on_several_candidates_leaves_them_several() -> None:
    def fail(data: dict[str, Any]) -> dict[str, Any]:
        raise ValueError(data)

    error = refusal_by(Score, '{"score": 1} {"score": 2}', fail)
    assert (len(error.details["candidates"]), "validation_errors" in error.details) == (2, False)


def test_normalizers_run_before_the_type_is_asked_where_a_bracket_is_missing() -> None:
    def spelled_out(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "score": 80} if data.get("score") == "eighty" else data

    text = '```json\n{"levels": {"support": 101, "score": "eighty"}\n```'
    assert parse_llm_json_output(text, type_of("Beside"), normalizers=[spelled_out]).score == 80


def test_rows_run_together_are_read_as_before_where_no_type_says_what_a_row_is() -> None:
    raw = '[{"n": "A", "v": 1.10, "n": "B", "v": 2}]\n'
    assert type(decode_llm_json(raw, root="array", normalizers=[lambda data: data]).data[0]) is dict


def test_type_that_is_crashed_by_one_of_two_readings_decides_nothing() -> None:
    class Crashing(BaseModel):
        levels: dict[str, int]
        score: int

        def model_post_init(self, _: object) -> None:
            raise RuntimeError

    with pytest.raises(LLMJsonParseError, match="two ways"):
        parse_llm_json_output('```json\n{"levels": {"support": 101, "score": 80}\n```', Crashing)
