"""An answer under one key, or in a list of one, is taken where the caller allows it and just one candidate fits."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from src.shared.domain.coercion.coercion import CoercionKind
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.read_as import reading_as
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing import paths


class Review(BaseModel):
    title: str
    score: int


class Loose(BaseModel):
    title: str = ""
    output: dict[str, Any] | None = None


class Crashing(BaseModel):
    title: str

    @field_validator("title")
    @classmethod
    def fails(cls, _: str) -> str:
        raise KeyError


REVIEW = Review(title="A", score=1)
INNER = '{"title": "A", "score": 1}'


@pytest.mark.parametrize(
    ("raw", "path", "column"),
    [
        (f'{{"output": {INNER}}}', "$.output", 12),
        (f'{{"Review": {INNER}}}', "$.Review", 12),
        (f"[{INNER}]", "$[0]", 2),
        (f'{{"output": [{INNER}]}}', "$.output[0]", 13),
        (f'[{{"output": {INNER}}}]', "$[0].output", 13),
        (f"{{'output': {INNER},}}", "$.output", 12),
        (f"Here:\n```json\n[{INNER}]\n```", "$[0]", 2),
        (f'Here it is: {{"output": {INNER}}} - done.', "$.output", 24),
    ],
)
def test_answer_is_taken_out_and_the_trace_names_the_place(raw: str, path: str, column: int) -> None:
    parsed = parse_llm_json_output_with_trace(raw, Review, unwrap=True)
    (coercion,) = parsed.decoded.coercions
    (note,) = [note for note in parsed.decoded.notes if note.action == "unwrapped"]

    assert parsed.value == REVIEW == parse_llm_json_output(raw, reading_as(Review, unwrap=True))
    assert parsed.decoded.data == {"title": "A", "score": 1}
    assert (coercion.kind, coercion.path, coercion.after) == (CoercionKind.WRAPPER, path, parsed.decoded.data)
    assert note.stage == "root"
    assert raw[slice(*note.span)] == INNER
    assert note.span.start - raw.rfind("\n", 0, note.span.start) == column


@pytest.mark.parametrize("raw", [f'{{"output": {INNER}}}', f"[{INNER}]"])
def test_nothing_is_unwrapped_unasked(raw: str) -> None:
    with pytest.raises(LLMJsonParseError):
        parse_llm_json_output(raw, Review)


def test_answer_without_a_wrapping_stays_as_it_is() -> None:
    decoded = parse_llm_json_output_with_trace(INNER, Review, unwrap=True).decoded

    assert decoded.coercions == ()


def test_json_in_a_string_is_unwrapped_without_a_place_of_its_own() -> None:
    raw = json.dumps(f'{{"output": {INNER}}}')
    parsed = parse_llm_json_output_with_trace(raw, Review, unwrap=True)

    assert parsed.value == REVIEW
    assert [note.span for note in parsed.decoded.notes if note.action == "unwrapped"]


def test_where_no_stack_is_left_the_place_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise RecursionError

    monkeypatch.setattr(paths, "_walk", full)
    parsed = parse_llm_json_output_with_trace(f"[{INNER}]", Review, unwrap=True)

    assert [note.span for note in parsed.decoded.notes if note.action == "unwrapped"] == [(0, len(INNER) + 2)]


def test_list_is_taken_out_of_a_key() -> None:
    assert parse_llm_json_output(f'{{"items": [{INNER}]}}', list[Review], unwrap=True) == [REVIEW]
    assert parse_llm_json_output(f"[{INNER}]", list[Review], unwrap=True) == [REVIEW]


def test_two_candidates_that_fit_are_refused_with_both_places() -> None:
    with pytest.raises(LLMJsonParseError, match="包装内外都满足类型") as error:
        parse_llm_json_output('{"output": {"title": "A"}}', Loose, unwrap=True)

    assert error.value.details["stage"] == "root"
    assert [place["column"] for place in error.value.details["candidates"]] == [1, 12]


def test_what_is_wrong_inside_is_told_with_its_place() -> None:
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output('{"output": {"title": "A", "score": "x"}}', Review, unwrap=True)

    assert error.value.details["validation_errors"][0]["loc"] == ("score",)
    assert error.value.details["validation_places"][0]["column"] == 36


@pytest.mark.parametrize(
    ("raw", "stage"),
    [
        (f"[{INNER}, {INNER}]", "root"),
        (f'{{"a": {{"b": {INNER}}}}}', "validate"),
        (f'{{"output": {INNER}, "status": "ok"}}', "validate"),
        ('{"output": "x"}', "validate"),
        ("[]", "root"),
    ],
)
def test_more_than_one_wrapping_of_a_kind_is_not_taken_off(raw: str, stage: str) -> None:
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output(raw, Review, unwrap=True)

    assert error.value.details["stage"] == stage


def test_validator_that_crashes_is_told() -> None:
    with pytest.raises(LLMJsonParseError, match="程序自身的校验代码出错"):
        parse_llm_json_output('{"output": {"title": "A"}}', Crashing, unwrap=True)


def test_wrapped_answer_beside_another_object_is_the_answer() -> None:
    raw = f'First {{"note": 1}} and then {{"output": {INNER}}}.'

    assert parse_llm_json_output(raw, Review, unwrap=True) == REVIEW


def test_rows_run_together_in_a_wrapping_are_refused_or_split() -> None:
    raw = '{"items": [{"title": "A", "score": 1, "title": "A", "score": 1}]}'

    with pytest.raises(LLMJsonParseError, match="键 title 重新开始") as error:
        parse_llm_json_output(raw, list[Review], unwrap=True)
    assert [place["column"] for place in error.value.details["candidates"]] == [13, 39]
    assert parse_llm_json_output(raw, list[Review], unwrap=True, run_together="split") == [REVIEW, REVIEW]


def test_an_agent_may_take_wrapped_answers() -> None:
    strict = AgentOutput("x", Review, LLMJsonParseError)
    lenient = AgentOutput("x", Review, LLMJsonParseError, options={"unwrap": True})

    assert lenient.parse(f'{{"output": {INNER}}}') == REVIEW
    assert lenient.read(f"[{INNER}]").value == REVIEW
    with pytest.raises(LLMJsonParseError):
        strict.parse(f'{{"output": {INNER}}}')


def test_a_json_schema_is_unwrapped_too() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

    assert parse_llm_json_output('{"output": {"a": 1}}', JsonSchema(schema), unwrap=True) == {"a": 1}


def test_stream_shows_nothing_of_a_wrapped_answer_before_its_end() -> None:
    stream: LLMJsonStream[Review] = LLMJsonStream(reading_as(Review, unwrap=True))
    shown = [stream.feed(char).data for char in f'{{"output": {INNER}}}']

    assert not any(shown)
    assert stream.close() == REVIEW


class Levels(BaseModel):
    support: int


class Beside(BaseModel):
    levels: Levels
    score: int


def test_type_tells_where_a_bracket_is_missing_inside_the_wrapping_too() -> None:
    raw = '```json\n{"output": {"levels": {"support": 101, "score": 80}}\n```'
    assert parse_llm_json_output(raw, Beside, unwrap=True) == Beside(levels=Levels(support=101), score=80)
