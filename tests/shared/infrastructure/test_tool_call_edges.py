"""Calls at the edge of a notation: marks of two of them, marks too few or too many, values that look like marks."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_call_forms.words import NO_CALL
from src.shared.infrastructure.tool_calls import read_tool_calls


class Arguments(BaseModel):
    """Those of both tools."""

    model_config = ConfigDict(extra="allow")

    topic: str = ""
    days: int = 0
    xs: list[Any] = []


TOOLS = {"look_up": Arguments, "weigh": Arguments}


def calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The names of the tools that are called, and the arguments that the text gives."""
    found = read_tool_calls(text, TOOLS)
    return [(call.name, call.arguments.model_dump(exclude_unset=True)) for call in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                '<atem:function_calls><atem:invoke name="look_up"><atem:param'
                'eter name="days">3</atem:parameter></atem:invoke></atem:func'
                "tion_calls>"
            ),
            [("look_up", {"days": 3})],
        ),
        (
            (
                '<atem:function_calls><atem:invoke name="look_up"><atem:param'
                'eter name="topic">"3"</atem:parameter></atem:invoke></atem:f'
                "unction_calls>"
            ),
            [("look_up", {"topic": "3"})],
        ),
        (
            (
                '<atem:function_calls><atem:invoke name="look_up"><atem:param'
                'eter name="topic">"a" or "b"</atem:parameter></atem:invoke><'
                "/atem:function_calls>"
            ),
            [("look_up", {"topic": '"a" or "b"'})],
        ),
        ("<function=look_up>\n<parameter=topic>\ntea\n</function>\n</tool_call>", [("look_up", {"topic": "tea"})]),
        ('[TOOL_CALL]\n{tool => "look_up", args => {"topic": "tea"}}\n[/TOOL_CALL]', [("look_up", {"topic": "tea"})]),
        (
            (
                "<|tool_calls_section_begin|>functions.look_up:0<|tool_call_a"
                'rgument_begin|>{"topic": "tea"}<|tool_call_end|><|tool_calls'
                "_section_end|>"
            ),
            [("look_up", {"topic": "tea"})],
        ),
        (
            (
                '<|start|>assistant to=look_up<|message|><tool_call>{"name": '
                '"look_up", "arguments": {"topic": "tea"}}</tool_call>'
            ),
            [("look_up", {"topic": "tea"})],
        ),
        ('<function=look_up><function=look_up>{"topic": "tea"}</function>', [("look_up", {"topic": "tea"})]),
        (
            '<｜tool▁call▁begin｜>look_up<｜tool▁sep｜><｜tool▁sep｜>{"topic": "tea"}<｜tool▁call▁end｜>',
            [("look_up", {"topic": "tea"})],
        ),
        ('call:look_up(topic="tea")', [("look_up", {"topic": "tea"})]),
        ('call:look_up(topic:<|"|>tea<|"|>)', [("look_up", {"topic": "tea"})]),
        (
            '<tool_call>{"name": "look_up", "arguments": {"xs": [9007199254740993.0, 1.50]}}</tool_call>',
            [("look_up", {"xs": [9007199254740993, 1.5]})],
        ),
        ('<｜tool▁call▁begin｜><tool_call>{"name": "look_up", "arguments": {}}</tool_call>', [("look_up", {})]),
        (
            '[TOOL_CALLS]look_up{"topic": "a call:weigh{ b <tool_call> c"}</s>',
            [("look_up", {"topic": "a call:weigh{ b <tool_call> c"})],
        ),
        (
            (
                "<tool_call>\n<function=look_up>\n<parameter=topic>\na </paramet"
                "er> b\n</parameter>\n</function>\n</tool_call>"
            ),
            [("look_up", {"topic": "a </parameter> b"})],
        ),
        ('<|tool_call_begin|>look_up{"topic": "tea"}<|tool_call_end|>', [("look_up", {"topic": "tea"})]),
        (
            '[TOOL_CALLS]look_up{"topic": "a call:weigh{ b <tool_call> c"} call:weigh{topic:<|"|>tea<|"|>}',
            [("look_up", {"topic": "a call:weigh{ b <tool_call> c"}), ("weigh", {"topic": "tea"})],
        ),
        (
            (
                '<tool_call>bad <think/> {"a": "</think>"} </think><tool_call'
                '>{"name": "look_up", "arguments": {}}</tool_call>'
            ),
            [("look_up", {})],
        ),
    ],
)
def test_call_with_one_reading_is_read(text: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert calls(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<|channel>thought\nI weigh it<channel|>Done.",
        "<|channel>I say it<channel|>Done.",
        "<|open|>think<|sep|>I weigh it<|close|>think<|sep|><|open|>other<|sep|>Done.",
        "<|open|>think<|sep|>I weigh it<|close|>think<|sep|>Done.",
        "<|open|>think<|sep|>I weigh it<|open|>response<|sep|>Done.",
        "Before.\n```\n<tool_call>\n```\nAfter.",
        '<|channel|>look_up<|message|>{"topic": "tea"}<|call|>',
        'Say "call:look_up(topic=1)" now.',
        'A `[look_up(topic="tea")]` list',
        '<tool_call>{"name": "look_up", "arguments": {"topic": "</think>"}} </tool_call> <tool_call>bad</think> done',
    ],
)
def test_thought_or_a_mark_that_is_spoken_of_is_no_call(text: str) -> None:
    assert calls(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<tool_call>look_up<arg_key>topic</arg_key><arg_value>tea</arg_value>", "the tool call is cut off here"),
        ("<tool_call>[1, 2]</tool_call>", "a mark of a tool call, and no call that can be read behind it"),
        (
            '<tool_call>[{"name": "look_up", "arguments": {}}, 1]</tool_call>',
            "a call needs a name and one object of arguments",
        ),
        ("<|tool_calls_section_end|>", "a mark of a tool call, and no call that can be read behind it"),
        ('Now look_up{"topic": tea', "a mark of a tool call, and no call that can be read behind it"),
        ('Now look_up{"topic": "tea"} and more', "a mark of a tool call, and no call that can be read behind it"),
        ("<function=look_up>\n<parameter=topic>\ntea\n</function>", "the parameter topic of look_up is not closed"),
        (
            '<|tool_call>call:look_up{topic:<|"|>tea}<tool_call|>',
            "a mark of a tool call, and no call that can be read behind it",
        ),
        (
            '<|tool_call>call:look_up{topic:<|"|>a<|"|>,days:<|"|>}<tool_call|>',
            "a mark of a tool call, and no call that can be read behind it",
        ),
        (
            '<|tool_call>call:look_up{topic:x<|"|>a<|"|>}<tool_call|>',
            "a mark of a tool call, and no call that can be read behind it",
        ),
        ('[TOOL_CALL]\n{tool => "look_up", args => {\n  --topic "tea"\n', "the tool call is cut off here"),
        (
            (
                "<think>I weigh it <tool_call>\n<function=look_up>\n<parameter="
                "topic>\ntea\n</parameter>\n</function>\n</tool_call>"
            ),
            "a reasoning block is never closed; nothing inside it is an answer",
        ),
        (
            (
                "<think>I weigh </tool_call> <|tool_calls_section_begin|><|to"
                "ol_call_begin|>functions.look_up:0<|tool_call_argument_begin"
                '|>{"topic": "tea"}<|tool_call_end|><|tool_calls_section_end|'
                "> more"
            ),
            "a reasoning block is never closed; nothing inside it is an answer",
        ),
        (
            (
                "<think>I weigh <|tool_calls_section_begin|><|tool_call_begin"
                '|>functions.look_up:0<|tool_call_argument_begin|>{"topic": "'
                'tea"}<|tool_call_end|>'
            ),
            "the tool call is cut off here",
        ),
        ('call:look_up(topic="tea") and', "an argument is no literal with a name"),
        ('call:look_up(topic:<|"|>tea<|"|>', "the tool call is cut off here"),
        ('<tool_call>{"name": "look_up", "arguments": {"topic": </tool_call>', "the text is cut off here"),
        ('"commentary to=functions.look_up json{" is how it begins.', "the text is cut off here"),
        ('call:look_up{topic:"a call:weigh{ b <tool_call> c"}<tool_call|>', NO_CALL.en),
        ('<tool_call>{"name": "look_up", "arguments": "[9007199254740993]"}</tool_call>', "the root is array"),
    ],
)
def test_call_that_cannot_be_read_is_refused_for_its_reason(text: str, reason: str) -> None:
    with pytest.raises(LLMJsonParseError) as refused:
        calls(text)
    assert refused.value.details["json_error"] == reason


def test_feedback_shows_how_a_call_is_written_in_its_notation() -> None:
    with pytest.raises(LLMJsonParseError) as refused:
        calls("<tool_call>look_up<arg_key>topic</arg_key><arg_value>tea</arg_value>")
    assert "look_up" in refused.value.feedback().rpartition("written as")[2]


def test_a_mark_that_a_fence_speaks_of_hides_no_call_in_the_same_fence() -> None:
    fenced = (
        '```\nwith <tool_call> tags\n<tool_call>{"name": "look_up", "arguments": {"topic": "tea"}}</tool_call>\n```'
    )

    assert calls(fenced) == [("look_up", {"topic": "tea"})]


def test_wrong_arguments_of_an_object_without_marks_are_told_without_a_notation() -> None:
    with pytest.raises(LLMJsonParseError, match="look_up: ") as refused:
        calls('{"name": "look_up", "arguments": {"days": "many"}}')

    assert "notation" not in refused.value.details
