"""What an event loop may read: texts that need no search."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from src.shared.infrastructure.llm_json import parse_llm_json_output, read_at_once


class Rating(BaseModel):
    score: int


@pytest.mark.parametrize("text", ['{"score": 5}', '```json\n{"score": 5}\n```', '{"score": 5,}'])
def test_text_that_needs_no_search_is_read_as_the_parser_reads_it(text: str) -> None:
    parsed = read_at_once(text, Rating)

    assert parsed is not None
    assert parsed.value == parse_llm_json_output(text, Rating)


def test_repair_is_told_of() -> None:
    parsed = read_at_once('{"score": 5,}', Rating)

    assert parsed is not None
    assert parsed.decoded.repairs


@pytest.mark.parametrize("text", ["", "no object", '{"score": "high"}', '{"score": 5'])
def test_any_other_text_is_left_to_the_parser(text: str) -> None:
    assert read_at_once(text, Rating) is None


def test_text_that_was_cut_off_is_left_to_the_parser() -> None:
    assert read_at_once('{"score": 5}', Rating, finished=False) is None
