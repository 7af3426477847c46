"""A response with an end-of-sequence token at its end reads, and is kept, like the same response without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    postprocess_responses,
)
from src.modules.visual_rag.infrastructure.agents.visual_rag.legacy_tags import END_MARKS, without_end_marks
from tests.modules.visual_rag.reading import ON_IMAGE, reply, tools_call

EOS = "<|im_end|>"
CROP = reply("crop", ON_IMAGE)
RESPONSES = {
    "JSON": reply(),
    "fenced JSON": f"```json\n{reply()}\n```",
    "fence that is left open": f"```json\n{reply()}",
    "JSON cut off after a string": reply("answer", answer="42")[:-1],
    "JSON cut off after a literal": '{"action": "search", "arguments": {"query": "q"}, "think": "t", "answer": null',
    "JSON cut off in a literal": '{"action": "search", "arguments": {"query": "q"}, "think": "t", "answer": nul',
    "JSON cut off in a string": reply("answer", answer="42")[:-3],
    "JSON cut off in a region": CROP[: CROP.index("]")],
    "tag": "<search>q</search>",
    "tag that is left open": "<answer>6",
    "half a closing tag": "<answer>6</ans",
    "call": tools_call(),
    "call that is cut off": tools_call()[:-20],
    "trajectory": "<think>a</think><search>q</search><think>b</think><answer>6</answer>",
    "reasoning alone": "<think>x",
    "prose": "no action at all",
    "nothing": "",
}
each_response = pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)


@each_response
@pytest.mark.parametrize("finished", [True, None])
def test_response_reads_the_same_with_any_mark_at_its_end(response: str, finished: bool) -> None:  # noqa: FBT001 - a parameter
    same = parse_action(response, finished=finished)
    assert [mark for mark in END_MARKS if parse_action(f"{response}\n{mark}\n", finished=finished) != same] == []


@each_response
def test_response_is_kept_the_same_with_any_mark_at_its_end(response: str) -> None:
    same = postprocess_responses([response], EOS)
    assert [mark for mark in END_MARKS if postprocess_responses([response + mark], EOS) != same] == []


@each_response
def test_eos_token_of_the_callers_own_is_appended_once(response: str) -> None:
    kept = postprocess_responses([f"{response}<mine>\n"], "<mine>")
    assert kept == postprocess_responses([response], "<mine>")


def test_json_before_a_mark_is_extracted() -> None:
    assert {extract_json_response(reply() + mark) for mark in END_MARKS} == {reply()}


@pytest.mark.parametrize("marks", ["<|eot_id|><|im_end|>", "</s> </s>\n</s>", "<|endoftext|>" * 5_000])
def test_any_number_of_marks_is_dropped(marks: str) -> None:
    assert without_end_marks(f"said {marks}") == "said"


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
    assert without_end_marks(text) == text


@given(st.text())
def test_only_the_end_of_a_text_is_dropped(text: str) -> None:
    assert text.startswith(without_end_marks(text))


def test_mark_inside_a_string_is_data() -> None:
    text = reply("answer", answer=f"It ends with {EOS}")
    assert parse_action(text).content == f"It ends with {EOS}"
