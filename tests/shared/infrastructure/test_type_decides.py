"""Of two readings that are as near, the type takes the one it fits, if that is the only one."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)


class Levels(BaseModel):
    """Price levels."""

    support: int
    resistance: int | None = None


class Beside(BaseModel):
    """An answer in which the score stands beside the levels."""

    levels: Levels
    score: int


class Inside(BaseModel):
    """An answer in which it may stand in them."""

    levels: dict[str, int]
    score: int | None = None


class Crashing(BaseModel):
    """A type whose own code fails."""

    levels: Levels
    score: int

    def model_post_init(self, _: object) -> None:
        """Fail."""
        raise RuntimeError


def _spelled_out(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "score": 80} if data.get("score") == "eighty" else data


TEXT = '```json\n{"levels": {"support": 101, "score": 80}\n```'
"""The brace may have been forgotten in two places."""


def test_reading_whose_keys_are_the_types_own_and_that_satisfies_it_is_taken() -> None:
    assert parse_llm_json_output(TEXT, Beside) == Beside(levels=Levels(support=101), score=80)


def test_trace_names_the_type_as_the_reason() -> None:
    notes = parse_llm_json_output_with_trace(TEXT, Beside).decoded.notes
    assert ("repair", "took the reading that fits the type") in [(note.stage, note.action) for note in notes]


def test_text_with_one_reading_says_nothing_of_the_type() -> None:
    notes = parse_llm_json_output_with_trace("{'levels': {'support': 101}, 'score': 80}", Beside).decoded.notes
    assert "took the reading that fits the type" not in [note.action for note in notes]


@pytest.mark.parametrize("type_", [Inside, Crashing], ids=["fits both", "crashes"])
def test_type_that_fits_both_or_cannot_say_decides_nothing(type_: type[BaseModel]) -> None:
    with pytest.raises(LLMJsonParseError, match="two ways"):
        parse_llm_json_output(TEXT, type_)


def test_type_with_another_key_decides_nothing() -> None:
    with pytest.raises(LLMJsonParseError, match="two ways"):
        parse_llm_json_output(TEXT.replace("score", "grade"), Beside)


def test_normalizers_run_before_the_type_is_asked() -> None:
    text = TEXT.replace("80", '"eighty"')
    read = parse_llm_json_output(text, Beside, normalizers=[_spelled_out])
    assert read.score == 80


def test_items_of_an_array_are_asked_one_by_one() -> None:
    text = '```json\n[{"levels": {"support": 101, "score": 80}]\n```'
    assert parse_llm_json_output(text, list[Beside]) == [Beside(levels=Levels(support=101), score=80)]


def test_without_a_type_there_are_two_readings() -> None:
    with pytest.raises(LLMJsonParseError, match="two ways"):
        decode_llm_json(TEXT)
