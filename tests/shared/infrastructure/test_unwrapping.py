"""An answer under one key, or in a list of one, is taken where the caller allows it and just one candidate fits."""

import pytest
from pydantic import BaseModel

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


REVIEW = Review(title="A", score=1)
INNER = '{"title": "A", "score": 1}'


def test_where_no_stack_is_left_the_place_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> paths.Part:
        raise RecursionError

    monkeypatch.setattr(paths, "parts_in", full)
    parsed = parse_llm_json_output_with_trace(f"[{INNER}]", Review, unwrap=True)

    assert [note.span for note in parsed.decoded.notes if note.action == "unwrapped"] == [(0, len(INNER) + 2)]


def test_an_agent_may_take_wrapped_answers() -> None:
    strict = AgentOutput("x", Review, LLMJsonParseError)
    lenient = AgentOutput("x", Review, LLMJsonParseError, options={"unwrap": True})

    assert lenient.parse(f'{{"output": {INNER}}}') == REVIEW
    assert lenient.read(f"[{INNER}]").value == REVIEW
    with pytest.raises(LLMJsonParseError, match="does not match the contract"):
        strict.parse(f'{{"output": {INNER}}}')


def test_a_json_schema_is_unwrapped_too() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

    assert parse_llm_json_output('{"output": {"a": 1}}', JsonSchema(schema), unwrap=True) == {"a": 1}


def test_stream_shows_nothing_of_a_wrapped_answer_before_its_end() -> None:
    stream: LLMJsonStream[Review] = LLMJsonStream(reading_as(Review, unwrap=True))
    shown = [stream.feed(char).data for char in f'{{"output": {INNER}}}']

    assert not any(shown)
    assert stream.close() == REVIEW
