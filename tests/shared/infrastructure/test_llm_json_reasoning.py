"""Reasoning is not the answer: no draft in it is ever taken, whatever its marks look like."""

import pytest

from src.shared.domain.parse_reasons import NO_OBJECT, ONLY_THINK, TRUNCATED, Reason
from src.shared.domain.reading.reading import constructed
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import position, reading_of, refusal_of, value_of, why_and_where

DRAFT = '{"a": 0}'
ANSWER = '{"a": 1}'

DROPPED = {
    "think": "<think>{0}</think>{1}",
    "thinking": "<thinking>{0}</thinking>{1}",
    "reasoning": "<reasoning>{0}</reasoning>{1}",
    "thought": "<thought>{0}</thought>{1}",
    "reflection": "<reflection>{0}</reflection>{1}",
    "upper case": "<THINK>{0}</THINK>{1}",
    "mixed case": "<Think>{0}</tHINK>{1}",
    "attributes": '<think lang="zh" depth=2>{0}</think>{1}',
    "white space in the closing tag": "<think>{0}</think >{1}",
    "nested in itself": "<think>{0}<think>{0}</think>{0}</think>{1}",
    "nested in another": "<reasoning>{0}<think>{0}</think>{0}</reasoning>{1}",
    "another's closing tag inside": "<think>{0}</thought>{0}</think>{1}",
    "two blocks before": "<think>{0}</think>\n<thinking>{0}</thinking>\n{1}",
    "a block after the answer": "{1}<think>{0}</think>",
    "blocks on both sides": "<think>{0}</think>{1}<reflection>{0}</reflection>",
    "a lone closing tag": "{0}</think>{1}",
    "a lone closing tag of another name": "让我想想 {0} </reasoning>\n{1}",
    "a block, then a lone closing tag": "<think>{0}</think>{0}</think>{1}",
    "a fence inside the block": "<think>```json\n{0}\n```</think>{1}",
    "the answer fenced": "<think>{0}</think>```json\n{1}\n```",
    "an unclosed fence inside the block": "<think>```json\n{0}</think>{1}",
    "an open brace inside the block": "<think>{{ {0}</think>{1}",
    "a quote inside the block": '<think>say "{0}</think>{1}',
    "an empty tag": "<think/>{1}",
    "harmony channels": (
        "<|channel|>analysis<|message|>{0}<|end|><|start|>assistant<|channel|>final<|message|>{1}<|return|>"
    ),
    "harmony with a commentary": (
        "<|channel|>commentary<|message|>{0}<|end|><|start|>assistant<|channel|>final<|message|>{1}"
    ),
    "harmony with a constraint": (
        "<|channel|>analysis<|message|>{0}<|end|><|channel|>final <|constrain|>json<|message|>{1}<|return|>"
    ),
    "harmony without an end mark": "<|channel|>analysis<|message|>{0}<|channel|>final<|message|>{1}",
    "harmony's two final parts": (
        "<|channel|>final<|message|>完成。<|end|><|channel|>analysis<|message|>{0}<|end|>"
        "<|channel|>final<|message|>{1}<|return|>"
    ),
}


@pytest.mark.parametrize("text", DROPPED.values(), ids=DROPPED.keys())
def test_draft_in_reasoning_is_dropped_and_the_answer_found(text: str) -> None:
    assert value_of(text.format(DRAFT, ANSWER)) == {"a": 1}


ANSWER_IS_MARKED = {name for name in DROPPED if name.startswith("harmony") or name == "the answer fenced"}


@pytest.mark.parametrize("name", [name for name in DROPPED if name not in ANSWER_IS_MARKED])
def test_draft_in_reasoning_is_not_the_answer_even_where_there_is_none(name: str) -> None:
    raw = DROPPED[name].format(DRAFT, "")
    assert why_and_where(refusal_of(raw)) == (ONLY_THINK.en, len(raw.rstrip()))


@pytest.mark.parametrize("name", sorted(ANSWER_IS_MARKED))
def test_draft_in_reasoning_is_not_the_answer_where_nothing_stands_in_the_marks_of_the_answer(name: str) -> None:
    assert why_and_where(refusal_of(DROPPED[name].format(DRAFT, ""))) == (NO_OBJECT.en, 0)


UNCLOSED = {
    "think": "<think>{0}",
    "upper case": "<THINKING>{0}",
    "attributes": "<think a=1>{0}",
    "after the answer": "{1}<think>{0}",
    "closed by another tag only": "<think>{0}</thought>",
    "a second block": "<think>x</think>{1}<think>{0}",
}


@pytest.mark.parametrize("text", UNCLOSED.values(), ids=UNCLOSED.keys())
def test_unclosed_reasoning_is_an_error_of_its_stage_at_its_tag(text: str) -> None:
    raw = text.format(DRAFT, ANSWER)
    error = refusal_of(raw)
    assert (error.details["stage"], "推理块未闭合" in error.message) == ("think", True)
    assert raw[error.details["position"]["offset"] :].lower().startswith("<think")


ONLY_REASONING = {
    "a block": "<think>{0}</think>",
    "a block and white space": "<think>{0}</think>\n \n",
    "a lone closing tag": "{0}</think>",
    "harmony's analysis": "<|channel|>analysis<|message|>{0}<|end|>",
    "harmony's analysis twice": "<|channel|>analysis<|message|>{0}<|end|><|channel|>analysis<|message|>{0}",
}


@pytest.mark.parametrize("text", ONLY_REASONING.values(), ids=ONLY_REASONING.keys())
def test_reasoning_without_an_answer_is_an_error_of_its_stage(text: str) -> None:
    error = refusal_of(text.format(DRAFT))
    assert (error.details["stage"], "推理块之后没有答案" in error.message) == ("think", True)


def test_position_of_an_unclosed_block_is_given_by_line_and_column() -> None:
    raw = "好的\n 想想 <think>x"
    assert refusal_of(raw).details["position"] == position(raw, raw.index("<think>"))


def test_harmonys_commentary_answers_where_there_is_no_final_channel() -> None:
    assert value_of(f"<|channel|>analysis<|message|>x<|end|><|channel|>commentary<|message|>{ANSWER}<|call|>") == {
        "a": 1
    }


DAMAGED = {
    "a block in a string in single quotes": ("{'a': '<think>x</think>'}", "<think>x</think>", RepairKind.SINGLE_QUOTE),
    "an opening tag in an object with a trailing comma": ('{"a": "<think>",}', "<think>", RepairKind.TRAILING_COMMA),
    "a closing tag in an object without quotes": ('{a: "x </think>"}', "x </think>", RepairKind.UNQUOTED_KEY),
}


@pytest.mark.parametrize(("raw", "text", "kind"), DAMAGED.values(), ids=DAMAGED.keys())
def test_tag_in_a_string_of_a_damaged_object_is_data(raw: str, text: str, kind: RepairKind) -> None:
    assert reading_of(raw) == ({"a": text}, {kind})


def test_control_character_in_the_answer_behind_a_lone_closing_tag_is_read() -> None:
    decoded = decode_llm_json('{"c": 1}}</think>{"a": "x\ny"}')
    assert (decoded.data, decoded.notes[-1].stage) == ({"a": "x\ny"}, "control_chars")


@pytest.mark.parametrize(
    "word", ["<think!>", "<b>", "think>", "a<think", "<planet>", "<explanation>", "[Plan]", "(plan)"]
)
def test_what_only_resembles_a_tag_is_prose(word: str) -> None:
    assert value_of(f"{word} {ANSWER}") == {"a": 1}


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        ('{"k <think>": 1, "b": {"c </think>": {"d": 1}}, "', TRUNCATED, 49),
        ('{"a": "</think>", "b": {"c": 1}, "d": "cut', TRUNCATED, 42),
        ('{"a": "<think>", "b": "</think>", "c": {"d": 1}, "e": f(x)}', constructed("f"), 54),
    ],
)
def test_tag_in_a_string_of_an_unreadable_object_does_not_make_its_rest_the_answer(
    raw: str, reason: Reason, offset: int | None
) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_unreadable_object_before_an_unclosed_block_leaves_the_block_unclosed() -> None:
    assert refusal_of("{'a': f(x) <think>y").details["stage"] == "think"


def test_closing_tag_in_what_would_be_a_key_of_several_lines_is_a_tag() -> None:
    assert value_of('{ "</think>\n{"":""}') == {"": ""}


@pytest.mark.parametrize("end", ["", ","], ids=["clean", "damaged"])
def test_marks_of_channels_in_a_string_are_text(end: str) -> None:
    text = "<|channel|>analysis<|message|>x<|end|><|channel|>final<|message|>y"
    assert value_of(f'Here it is:\n{{"a": "{text}"{end}}}\nok') == {"a": text}


def test_draft_that_breaks_off_in_a_string_ends_with_its_channel() -> None:
    raw = '<|channel|>analysis<|message|>maybe {"a": "x<|end|><|start|>assistant<|channel|>final<|message|>' + ANSWER
    assert value_of(raw) == {"a": 1}
