"""Calls at the edge of a notation: marks of two of them, marks too few or too many, values that look like marks."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TRUNCATED, UNCLOSED_THINK
from src.shared.infrastructure.tool_call_forms.words import CUT, NO_CALL, NOT_A_CALL, NOT_LITERAL, not_closed
from src.shared.infrastructure.tool_calls import read_tool_calls


class Arguments(BaseModel):
    """Those of both tools."""

    model_config = ConfigDict(extra="allow")

    topic: str = ""
    days: int = 0
    xs: list[Any] = []


TOOLS = {"look_up": Arguments, "weigh": Arguments}


TEA = [("look_up", {"topic": "tea"})]
NOTHING: list[tuple[str, dict[str, str]]] = [("look_up", {})]
HERMES = '<tool_call>{"name": "look_up", "arguments": {"topic": "tea"}}</tool_call>'
BARE = '<tool_call>{"name": "look_up", "arguments": {}}</tool_call>'
KIMI = '<|tool_call_begin|>functions.look_up:0<|tool_call_argument_begin|>{"topic": "tea"}<|tool_call_end|>'
SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
CODER = "<tool_call>\n<function=look_up>\n<parameter=topic>\n{}\n</parameter>\n</function>\n</tool_call>"
ENCLOSED = "a call:weigh{ b <tool_call> c"
"""A text with marks of two notations."""
CUT_HERE, UNCLOSED = CUT.en, UNCLOSED_THINK.en


def atem(key: str, value: str) -> str:
    """A call as Muse writes it."""
    parameter = f'<atem:parameter name="{key}">{value}</atem:parameter>'
    return f'<atem:function_calls><atem:invoke name="look_up">{parameter}</atem:invoke></atem:function_calls>'


def calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The names of the tools that are called, and the arguments that the text gives."""
    found = read_tool_calls(text, TOOLS)
    return [(call.name, call.arguments.model_dump(exclude_unset=True)) for call in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (atem("days", "3"), [("look_up", {"days": 3})]),
        (atem("topic", '"3"'), [("look_up", {"topic": "3"})]),
        (atem("topic", '"a" or "b"'), [("look_up", {"topic": '"a" or "b"'})]),
        ("<function=look_up>\n<parameter=topic>\ntea\n</function>\n</tool_call>", TEA),
        ('[TOOL_CALL]\n{tool => "look_up", args => {"topic": "tea"}}\n[/TOOL_CALL]', TEA),
        (f"{SECTION}{KIMI.replace('<|tool_call_begin|>', '')}{SECTION_END}", TEA),
        (f"<|start|>assistant to=look_up<|message|>{HERMES}", TEA),
        ('<function=look_up><function=look_up>{"topic": "tea"}</function>', TEA),
        ('<｜tool▁call▁begin｜>look_up<｜tool▁sep｜><｜tool▁sep｜>{"topic": "tea"}<｜tool▁call▁end｜>', TEA),
        ('call:look_up(topic="tea")', TEA),
        ('call:look_up(topic:<|"|>tea<|"|>)', TEA),
        (BARE.replace("{}", '{"xs": [9007199254740993.0, 1.50]}'), [("look_up", {"xs": [9007199254740993, 1.5]})]),
        (f"<｜tool▁call▁begin｜>{BARE}", NOTHING),
        (f'[TOOL_CALLS]look_up{{"topic": "{ENCLOSED}"}}</s>', [("look_up", {"topic": ENCLOSED})]),
        (CODER.format("a </parameter> b"), [("look_up", {"topic": "a </parameter> b"})]),
        ('<|tool_call_begin|>look_up{"topic": "tea"}<|tool_call_end|>', TEA),
        (
            f'[TOOL_CALLS]look_up{{"topic": "{ENCLOSED}"}} call:weigh{{topic:<|"|>tea<|"|>}}',
            [("look_up", {"topic": ENCLOSED}), ("weigh", {"topic": "tea"})],
        ),
        (f'<tool_call>bad <think/> {{"a": "</think>"}} </think>{BARE}', NOTHING),
        # a mark that a fence speaks of hides no call in the same fence
        (f"```\nwith <tool_call> tags\n{HERMES}\n```", TEA),
        # no call: a thought, or a mark that is spoken of
        ("<|channel>thought\nI weigh it<channel|>Done.", []),
        ("<|channel>I say it<channel|>Done.", []),
        ("<|open|>think<|sep|>I weigh it<|close|>think<|sep|><|open|>other<|sep|>Done.", []),
        ("<|open|>think<|sep|>I weigh it<|close|>think<|sep|>Done.", []),
        ("<|open|>think<|sep|>I weigh it<|open|>response<|sep|>Done.", []),
        ("Before.\n```\n<tool_call>\n```\nAfter.", []),
        ('<|channel|>look_up<|message|>{"topic": "tea"}<|call|>', []),
        ('Say "call:look_up(topic=1)" now.', []),
        ('A `[look_up(topic="tea")]` list', []),
        (f"{HERMES.replace('tea', '</think>')} <tool_call>bad</think> done", []),
    ],
)
def test_text_at_the_edge_of_a_notation_is_read_as_its_calls(text: str, expected: list[tuple[str, Any]]) -> None:
    assert calls(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<tool_call>look_up<arg_key>topic</arg_key><arg_value>tea</arg_value>", CUT_HERE),
        ("<tool_call>[1, 2]</tool_call>", NO_CALL.en),
        ('<tool_call>[{"name": "look_up", "arguments": {}}, 1]</tool_call>', NOT_A_CALL.en),
        (SECTION_END, NO_CALL.en),
        ('Now look_up{"topic": tea', NO_CALL.en),
        ('Now look_up{"topic": "tea"} and more', NO_CALL.en),
        ("<function=look_up>\n<parameter=topic>\ntea\n</function>", not_closed("topic", "look_up").en),
        ('<|tool_call>call:look_up{topic:<|"|>tea}<tool_call|>', NO_CALL.en),
        ('<|tool_call>call:look_up{topic:<|"|>a<|"|>,days:<|"|>}<tool_call|>', NO_CALL.en),
        ('<|tool_call>call:look_up{topic:x<|"|>a<|"|>}<tool_call|>', NO_CALL.en),
        ('[TOOL_CALL]\n{tool => "look_up", args => {\n  --topic "tea"\n', CUT_HERE),
        (f"<think>I weigh it {CODER.format('tea')}", UNCLOSED),
        (f"<think>I weigh </tool_call> {SECTION}{KIMI}{SECTION_END} more", UNCLOSED),
        (f"<think>I weigh {SECTION}{KIMI}", CUT_HERE),
        ('call:look_up(topic="tea") and', NOT_LITERAL.en),
        ('call:look_up(topic:<|"|>tea<|"|>', CUT_HERE),
        ('<tool_call>{"name": "look_up", "arguments": {"topic": </tool_call>', TRUNCATED.en),
        ('"commentary to=functions.look_up json{" is how it begins.', TRUNCATED.en),
        (f'call:look_up{{topic:"{ENCLOSED}"}}<tool_call|>', NO_CALL.en),
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


def test_wrong_arguments_of_an_object_without_marks_are_told_without_a_notation() -> None:
    with pytest.raises(LLMJsonParseError, match="look_up: ") as refused:
        calls('{"name": "look_up", "arguments": {"days": "many"}}')

    assert "notation" not in refused.value.details
