"""A response with an end-of-sequence token at its end reads, and is kept, like the same response without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    postprocess_responses,
)
from src.modules.visual_rag.infrastructure.agents.visual_rag.reply import END_MARKS, strip_end_marks
from tests.modules.visual_rag.reading import reply, tools_call

EOS = "<|im_end|>"


@pytest.mark.parametrize("response", [reply(), reply()[:-1], "<answer>6", tools_call()[:-20], "<think>x", "no action"])
def test_response_reads_and_is_kept_the_same_with_any_mark_at_its_end(response: str) -> None:
    """For two marks every text of `actions.toml` does."""
    for finished in (True, None):
        same = parse_action(response, finished=finished)
        assert [mark for mark in END_MARKS if parse_action(f"{response}\n{mark}\n", finished=finished) != same] == []
    kept = postprocess_responses([response], EOS)
    assert [mark for mark in END_MARKS if postprocess_responses([response + mark], EOS) != kept] == []
    assert postprocess_responses([f"{response}<mine>\n"], "<mine>") == postprocess_responses([response], "<mine>")


def test_json_before_a_mark_is_extracted() -> None:
    assert {extract_json_response(reply() + mark) for mark in END_MARKS} == {reply()}


@pytest.mark.parametrize("marks", ["<|eot_id|><|im_end|>", "</s> </s>\n</s>", "<|endoftext|>" * 5_000])
def test_any_number_of_marks_is_dropped(marks: str) -> None:
    assert strip_end_marks(f"said {marks}") == "said"


@pytest.mark.parametrize(
    "text",
    [
        "{draft}<|end_of_thought|>",
        "<|channel|>final<|message|>",
        "</think>",
        "</answer>",
        "<|im_end|> more",
        "im_end|>",
        "EOS",
    ],
)
def test_whatever_else_ends_a_text_is_part_of_it(text: str) -> None:
    assert strip_end_marks(text) == text


@given(st.text())
def test_only_the_end_of_a_text_is_dropped(text: str) -> None:
    assert text.startswith(strip_end_marks(text))


def test_mark_inside_a_string_is_data() -> None:
    text = reply("answer", answer=f"It ends with {EOS}")
    assert parse_action(text).content == f"It ends with {EOS}"
