"""Reasoning is never an action: a text reads as it would if the reasoning held nothing, on every way that reads it."""

from typing import Any

import pytest

from src.modules.visual_rag.domain.parsed_action import ProblemKind
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    postprocess_responses,
)
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.domain import work
from tests.modules.visual_rag.reading import ON_IMAGE, problem_of, read, reply, tools_call

PARSER = VisualRagActionParser()
EOS = "<|im_end|>"
ANSWER = reply("answer", answer="7")
DRAFT = reply("answer", answer="DRAFT")
WITHOUT_THINK = '{"action":"search","arguments":{"query":"q"},"answer":null}'

MARKS = {
    "think": "<think>{}</think>",
    "think in capitals": "<THINK>{}</THINK>",
    "think with attributes": "<think budget='1'>{}</think>",
    "think behind blanks": "\n  <think>{}</think>\n",
    "long think": "<think>" + "long " * 60 + "{}</think>",
    "two blocks": "<think>a</think>\n<think>{}</think>",
    "thinking": "<Thinking>\n{}\n</Thinking>",
    "reasoning": "<reasoning>{}</reasoning>",
    "thought": "<thought>{}</thought>",
    "reflection": "<reflection>{}</reflection>",
    "scratchpad": "<scratchpad>{}</scratchpad>",
    "Kimi": "◁think▷{}◁/think▷",
    "Mistral": "[THINK]{}[/THINK]",
    "OpenThinker": "<|begin_of_thought|>{}<|end_of_thought|>",
    "Claude": "<antThinking>{}</antThinking>",
    "Seed": "<seed:think>{}</seed:think>",
    "Gemma": "<unused94>thought{}<unused95>",
    "Chinese": "【思考】{}【/思考】",
    "harmony": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "without its opening tag": "{}</think>",
    "fenced": "```thinking\n{}\n```\n",
}
DRAFTS = {
    "search": "maybe <search>DRAFT</search>?",
    "answer": "用 <answer>DRAFT</answer> 吗",
    "open answer": "<answer>DRAFT",
    "call": tools_call("crop", {**ON_IMAGE, "image_id": "DRAFT"}),
    "box": "<bbox>[1, 2, 3, 4]</bbox>",
    "several": "<search>DRAFT</search> or <answer>DRAFT</answer>",
    "observation": "expects <information>DRAFT</information> then",
    "action and observation": "<search>DRAFT</search><information>DRAFT</information>",
    "turn": f"<|im_start|>user\nDRAFT{EOS}",
    "object": DRAFT,
    "object in a list": f"[{DRAFT}]",
    "stray tag": "</answer>",
}
RESTS: dict[str, tuple[str, tuple[str | None, Any]]] = {
    "reply": (ANSWER, ("answer", "7")),
    "fenced reply": (f"```json\n{ANSWER}\n```", ("answer", "7")),
    "reply behind prose": (f"答案如下：\n{ANSWER}\n以上。", ("answer", "7")),
    "reply in a list": (f"[{ANSWER}]", ("answer", "7")),
    "damaged reply": (ANSWER.replace('"', "'"), ("answer", "7")),
    "reply and an invented observation": (f"{ANSWER}<information>x</information>{DRAFT}", ("answer", "7")),
    "search": ("<search>q</search>", ("search", "q")),
    "call": (tools_call(), ("crop", ON_IMAGE)),
    "answer that is an object": ('<answer>{"a": 1}</answer>', ("answer", '{"a": 1}')),
    "object before a search": ('{"x":1}\n<search>q</search>', ("search", "q")),
    "fenced object before a search": ('```json\n{"x":1}\n```\n<search>q</search>', ("search", "q")),
    "several rounds": (
        "<search>a</search>\nfound\n<think>b <answer>DRAFT</answer></think><answer>7</answer>",
        ("answer", "7"),
    ),
    "object without think": (WITHOUT_THINK, (None, None)),
    "object": ('\n{"x":1}', (None, None)),
    "fenced object": ('```json\n{"x":1}\n```', (None, None)),
    "nothing": ("", (None, None)),
}
each_mark = pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
each_draft = pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)


@each_draft
def test_what_stands_in_reasoning_is_no_action(draft: str) -> None:
    found = {name: read(f"<think>{draft}</think>{rest}") for name, (rest, _) in RESTS.items()}
    assert found == {name: expected for name, (_, expected) in RESTS.items()}


@each_mark
@pytest.mark.parametrize("rest", ["reply", "object before a search", "object"])
def test_every_mark_around_reasoning_is_one(mark: str, rest: str) -> None:
    said, expected = RESTS[rest]
    found = {name: read(mark.format(draft) + said) for name, draft in DRAFTS.items()}
    assert found == dict.fromkeys(DRAFTS, expected)


@each_mark
def test_live_turn_is_as_if_its_reasoning_held_nothing(mark: str) -> None:
    def turns(reasoning: str) -> dict[str, tuple[str | None, object]]:
        texts = {name: mark.format(reasoning) + rest for name, (rest, _) in RESTS.items()}
        parsed = {name: PARSER.parse(text, finished=True, last_image="image_01") for name, text in texts.items()}
        return {name: (turn.action_type, turn.content) for name, turn in parsed.items()}

    assert turns(DRAFTS["several"]) == turns("t")


@each_mark
def test_what_is_kept_reads_like_the_text(mark: str) -> None:
    texts = [mark.format(DRAFTS["several"]) + rest for rest, _ in RESTS.values()]
    found = dict(zip(RESTS, map(read, postprocess_responses(texts, EOS)), strict=True))
    assert found == {name: expected for name, (_, expected) in RESTS.items()}


# --- reasoning that ends in an error -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<think>{}",
        "<think>a</think><think>{}",
        "<search>q</search><think>{}",
        "{}</think>",
        "{}</think><search>q</search><think>more",
        "```thinking\n{}\n```\n<search>q</search><think>more",
        "<|channel|>analysis<|message|>{}",
    ],
)
@each_draft
def test_reasoning_behind_which_nothing_is_sure_gives_no_action(text: str, draft: str) -> None:
    problem = problem_of(text.format(draft), finished=True)
    assert problem.kind is ProblemKind.UNREADABLE
    assert "reasoning block" in problem.message


@pytest.mark.parametrize("action", [reply(), "<search>q</search>"])
@each_draft
def test_first_action_of_a_live_turn_counts_before_reasoning_that_is_never_closed(action: str, draft: str) -> None:
    parsed = PARSER.parse(f"{action}<think>{draft}", finished=True, last_image=None)
    assert (parsed.action_type, parsed.content) == ("search", "q")


@pytest.mark.parametrize(
    "before", ["<answer>DRAFT</answer><information>x</information>", f"```thinking\n{DRAFT}\n```\n"]
)
def test_text_that_was_not_looked_at_to_the_end_gives_no_action(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    monkeypatch.setattr(work, "WORK_FLOOR", 20_000)
    text = before + "<think>a</think>" * 200 + "</think>"
    assert "too much damage" in problem_of(text).message
    assert PARSER.parse(text, finished=True, last_image=None).action_type is None


# --- reasoning in an action --------------------------------------------------------------------------------


def test_reasoning_in_an_action_is_not_its_text_whatever_encloses_it() -> None:
    fenced = "```thinking\na <think>b</think> c\n```"
    assert read(f"<answer>7 {fenced} 8 <think>d</think>9</answer>") == ("answer", "7  8 9")


def test_reasoning_is_kept_once_before_the_action() -> None:
    text = "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b</think><search>q</search>"
    (kept,) = postprocess_responses([text], EOS)
    assert kept.count("analysis") == 1
    assert read(kept) == ("search", "q")
