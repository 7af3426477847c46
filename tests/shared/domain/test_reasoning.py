"""Marks around reasoning: which names say so, in which brackets, and what belongs together."""

import pytest

from src.shared.domain.reasoning import (
    ATTRIBUTES_LIMIT,
    NAME_LIMIT,
    Mark,
    between_marks,
    reasoning_marks,
    says_reasoning,
    split_reasoning,
)


def marks_of(text: str) -> list[Mark]:
    return list(reasoning_marks(text))


OPENINGS = [
    *("<think>", "<THINK>", "<Thinking>", "<thought>", "<reasoning>", "<reflection>", "<scratchpad>", "<scratch_pad>"),
    *("<analysis>", "<plan>", "<draft>", "<inner_monologue>", "<inner monologue>", "<antThinking>", "<seed:think>"),
    *("<CoT>", "<chain_of_thought>", '<thinking type="deep">', "< think >", "<|think|>", "<|begin_of_thought|>"),
    *(
        "<｜begin▁of▁thought｜>",
        "<|START_THINKING|>",
        "[THINK]",
        "[Begin Thinking]",
        "◁think▷",
        "【思考】",
        "《推理》",
        "<思考>",
    ),
    *("&lt;think&gt;", "<!-- thinking -->", "<<think>>", "{thought}", "(plan)", "|think|", "<unused94>thought"),
]


@pytest.mark.parametrize("text", OPENINGS)
def test_mark_is_known_in_any_brackets_letters_and_form(text: str) -> None:
    (mark,) = marks_of(f"a {text} b")
    assert (mark.start, mark.end, mark.closes, mark.is_void) == (2, 2 + len(text), False, False)


CLOSINGS = [
    "</think>",
    "</ think >",
    "[/THINK]",
    "◁/think▷",
    "<|end_of_thought|>",
    "<|END_THINKING|>",
    "【/思考】",
    "<unused95>",
]


@pytest.mark.parametrize("text", CLOSINGS)
def test_closing_mark_is_known(text: str) -> None:
    (mark,) = marks_of(f"think {text}")
    assert mark.closes


@pytest.mark.parametrize("text", ["<think/>", "<think />", '<think a="b"/>', "&lt;think/&gt;"])
def test_empty_mark_is_a_block_by_itself(text: str) -> None:
    (mark,) = marks_of(text)
    assert mark.is_void


NO_MARKS = [
    *("<b>", "think", "<think", "think>", "<think!>", "<explanation>", "<planet>", "<restrained>", "<answer>"),
    *(
        "<analysis_result>",
        "<final_plan>",
        "<thought_output>",
        '{"plan": 1}',
        "[1]",
        "<|im_start|>",
    ),
]


@pytest.mark.parametrize("text", NO_MARKS)
def test_what_is_no_mark_is_none(text: str) -> None:
    assert marks_of(f"a plan, {text}") == []


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<think>", "</think>"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<THINK>", "</think>"),
        ("<thinking_start>", "<thinking_end>"),
        ('<thinking type="deep">', "</thinking>"),
        ("[BEGIN PLAN]", "[END PLAN]"),
    ],
)
def test_partners_are_of_one_family(opening: str, closing: str) -> None:
    first, last = marks_of(opening + closing)
    assert (first.family, first.closes, last.closes) == (last.family, False, True)


def test_other_names_are_of_other_families() -> None:
    assert len({mark.family for mark in marks_of("<think><thought><plan>")}) == 3


@pytest.mark.parametrize(
    ("text", "firm"), [("<plan>", True), ("◁plan▷", True), ("[THINK]", True), ("[Plan]", False), ("(think)", False)]
)
def test_mark_in_brackets_of_prose_counts_alone_only_if_its_name_can_be_nothing_else(text: str, *, firm: bool) -> None:
    assert [mark.is_firm for mark in marks_of(text)] == [firm]


def test_name_and_attributes_have_bounds() -> None:
    name, longer = "think".ljust(NAME_LIMIT + 1, "x"), "think".ljust(NAME_LIMIT + 2, "x")
    fits, too_long = f"<think {'a' * ATTRIBUTES_LIMIT}>", f"<think {'=' * (ATTRIBUTES_LIMIT + 1)}>"
    assert [len(marks_of(text)) for text in (f"<{name}>", f"<{longer}>", fits, too_long)] == [1, 0, 1, 0]


@pytest.mark.parametrize("tag", ["think", "Thinking", "reasoning", "scratchpad", "cot"])
def test_tag_of_a_fence_says_reasoning(tag: str) -> None:
    assert says_reasoning(tag)


@pytest.mark.parametrize("tag", ["json", "python", "", "text", "answer"])
def test_other_tags_of_a_fence_do_not(tag: str) -> None:
    assert not says_reasoning(tag)


@pytest.mark.parametrize("at", [0, (1 << 16) - 3, 1 << 16, (1 << 17) + 5])
def test_mark_is_found_wherever_it_stands_in_a_long_text(at: int) -> None:
    assert [mark.start for mark in marks_of("»" * at + "<THINK>" + "»" * 10)] == [at]


@pytest.mark.parametrize(
    ("text", "prose", "reasoning"),
    [
        ("Hello", "Hello", ""),
        ("<think>hm</think>\n\nHello", "Hello", "hm"),
        (" <think>a <think>b</think> c</think>Hello", "Hello", "a <think>b</think> c"),
        ("<think>a [plan] b</think>Hello", "Hello", "a [plan] b"),
        ("<think>hm", "<think>hm", ""),
        ("<think/>Hello", "<think/>Hello", ""),
        ("Hello <think>hm</think>", "Hello <think>hm</think>", ""),
        ("</think>Hello", "</think>Hello", ""),
    ],
)
def test_reasoning_at_the_beginning_of_prose_is_told_apart(text: str, prose: str, reasoning: str) -> None:
    assert split_reasoning(text) == (prose, reasoning)


@pytest.mark.parametrize(
    ("block", "inner"), [("<think> a </think>", "a"), ("a </think>", "a"), ("<think> a", "a"), (" a ", "a")]
)
def test_a_block_is_taken_out_of_its_marks(block: str, inner: str) -> None:
    assert between_marks(block) == inner
