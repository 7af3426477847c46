"""The eight layouts of the duels: how an answer and another object stand in one text."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple


class Layout(NamedTuple):
    """A layout: its name, and how it lays the two texts out; `answers` says whether the answer stands in it."""

    name: str
    write: Callable[[Random, str, str], str]
    answers: bool = True


REASONING_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<THINK>", "</THINK>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<analysis>", "</analysis>"),
    ("<plan>", "</plan>"),
    ("<planning>", "</planning>"),
    ("<draft>", "</draft>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<monologue>", "</monologue>"),
    ("<thoughts>", "</thoughts>"),
    ("<antThinking>", "</antThinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<think_process>", "</think_process>"),
    ("<reasoning_content>", "</reasoning_content>"),
    ("<chain_of_thought>", "</chain_of_thought>"),
    ('<thinking type="deep">', "</thinking>"),
    ("< think >", "</ think >"),
    ("<Thought >", "</Thought >"),
    ("[THINK]", "[/THINK]"),
    ("[think]", "[/think]"),
    ("[REASONING]", "[/REASONING]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("{think}", "{/think}"),
    ("(thinking)", "(/thinking)"),
    ("【思考】", "【/思考】"),
    ("<思考>", "</思考>"),
    ("&lt;think&gt;", "&lt;/think&gt;"),
    (":::thinking\n", "\n:::"),
    ("```thinking\n", "\n```\n"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
)
"""Signs around reasoning, as vendors, prompts and templates spell them."""
TAGS = (
    ("example", "answer"),
    ("template", "output"),
    ("input", "output"),
    ("old", "new"),
    ("context", "result"),
    ("format", "report"),
    ("schema", "tool_call"),
    ("tool_response", "tool_call"),
    ("before", "after"),
    ("v1", "v2"),
)
"""Tags around the other object, and around the answer."""
NO_ANSWER = ("I cannot answer.", "Sorry, the data is missing.", "抱歉，我无法给出结论。", "")


def _any_of(*templates: str) -> Callable[[Random, str, str], str]:
    return lambda rng, answer, other: _filled(rng.choice(templates), answer, other)


def _filled(template: str, answer: str, other: str) -> str:
    """Put the two texts where the template has `A` and `O` between angle quotes."""
    before, mark, after = template.partition("«A»")
    before, after = before.replace("«O»", other), after.replace("«O»", other)
    return before + (answer if mark else "") + after


def _reasoning(rng: Random, answer: str, other: str) -> str:
    opening, closing = rng.choice(REASONING_MARKS)
    said = rng.choice(("maybe ", "Draft: ", "先写一个草稿：\n", ""))
    return f"{opening}{said}{other}{rng.choice(('', ' no, that is off.'))}{closing}{rng.choice(('', chr(10)))}{answer}"


def _reasoning_only(rng: Random, _: str, other: str) -> str:
    return _reasoning(rng, rng.choice(NO_ANSWER), other)


def _tags(rng: Random, answer: str, other: str) -> str:
    first, second = rng.choice(TAGS)
    parts = [f"<{first}>{other}</{first}>", f"<{second}>{answer}</{second}>"]
    rng.shuffle(parts)
    return rng.choice(("", "\n", "\n\n")).join(parts)


LAYOUTS = (
    Layout(
        "1 template, answer",
        _any_of("Format: «O»\n\n«A»", "输出格式：«O»\n\n«A»", "Schema:\n«O»\nAnswer:\n«A»", "«O»\n«A»"),
    ),
    Layout(
        "2 answer, example",
        _any_of("«A»\nExample: «O»", "«A» e.g. «O»", "«A»\n\n例如：«O»", "«A»\nas in «O»", "«A» or «O»"),
    ),
    Layout(
        "3 draft, final",
        _any_of("Draft: «O»\nFinal: «A»", "初稿：«O»\n终稿：«A»", "First try: «O»\n\nFinal answer: «A»"),
    ),
    Layout(
        "4 fenced old, newer bare",
        _any_of("```json\n«O»\n```\nCorrection:\n«A»", "```\n«O»\n```\n«A»", "旧版：\n```json\n«O»\n```\n新版：\n«A»"),
    ),
    Layout(
        "5 old bare, newer fenced",
        _any_of(
            "«O»\nCorrection:\n```json\n«A»\n```",
            "Before: «O»\n\n```json\n«A»\n```\n",
            "旧版：«O»\n新版：\n```\n«A»\n```",
        ),
    ),
    Layout("6 reasoning, answer", _reasoning),
    Layout("6 reasoning, no answer", _reasoning_only, answers=False),
    Layout(
        "7 two fences",
        _any_of(
            "Old:\n```json\n«O»\n```\nNew:\n```json\n«A»\n```",
            "```json\n«A»\n```\nFor example:\n```json\n«O»\n```",
            "```json\n«O»\n```\n```json\n«A»\n```",
        ),
    ),
    Layout("8 other tags", _tags),
)
