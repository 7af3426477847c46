"""Rests of a model's own format, beside an answer or arguments and in them: noted, and no value changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.state import Note
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import parse_named_call, parse_tool_call, read_tool_calls

Tool = dict[str, Any]
TOOLS = {"f": Tool}
BESIDE, INSIDE, TWICE, WHOLE = "left out a mark", "looks_like_mark", "looks_like_double_escape", "unescaped"
ACTIONS = frozenset({BESIDE, INSIDE, TWICE, WHOLE})
PARIS = {"city": "Paris"}
HEADER = "<|channel|>commentary to=functions.f<|message|>"
CONSTRAINED = "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>"
Rows = dict[str, tuple[str, Any, list[tuple[str, str, str]]]]
ROWS: Rows = {
    "a tag behind the object": ('{"city": "Paris"}</arg_value>>', PARIS, [(BESIDE, "", "</arg_value>>")]),
    "a token behind the object": ('{"city": "Paris"} <|call|>', PARIS, [(BESIDE, "", "<|call|>")]),
    "a token that no notation has": ('{"city": "Paris"}<|foo_7|>', PARIS, [(BESIDE, "", "<|foo_7|>")]),
    "a mark that opens, before it": ('<tool_call>{"city": "Paris"}', PARIS, [(BESIDE, "", "<tool_call>")]),
    "two marks behind it": (
        '{"city": "Paris"}</arg_value></tool_call>',
        PARIS,
        [(BESIDE, "", "</arg_value>"), (BESIDE, "", "</tool_call>")],
    ),
    "a tag in a string": ('{"city": "Paris</arg_value>>"}', None, [(INSIDE, "$.city", "</arg_value>>")]),
    "a token in a list": ('{"a": ["x", "ls<|call|>"]}', None, [(INSIDE, "$.a[1]", "<|call|>")]),
    "the same in two strings": (
        '{"a": "x<|call|>", "b": "x<|call|>"}',
        None,
        [(INSIDE, "$.a", "<|call|>"), (INSIDE, "$.b", "<|call|>")],
    ),
    "two in one string": (
        '{"a": "<parameter=b> x</parameter>"}',
        None,
        [(INSIDE, "$.a", "<parameter="), (INSIDE, "$.a", "</parameter>")],
    ),
    "a header in a string": (f'{{"a": "{HEADER}x"}}', None, [(INSIDE, "$.a", HEADER)]),
    "a tag in a key": ('{"city</arg_key>": "Paris"}', None, [(INSIDE, '$["city</arg_key>"]', "</arg_key>")]),
    "a mark with a quote": (
        r'{"a": "<invoke name=\"f\"> <|call|>"}',
        None,
        [
            (INSIDE, "$.a", r'"<invoke name=\"f\"> <|call|>"'),
            (INSIDE, "$.a", r'"<invoke name=\"f\"> <|call|>"'),
        ],
    ),
    "a mark that is written with escapes": (
        r'{"a": "\u003c|call|>", "b": "<|end|>"}',
        None,
        [
            (INSIDE, "$.a", r'{"a": "\u003c|call|>", "b": "<|end|>"}'),
            (INSIDE, "$.b", r'{"a": "\u003c|call|>", "b": "<|end|>"}'),
        ],
    ),
    "a path with doubled backslashes": (r'{"p": "C:\\\\Users"}', None, [(TWICE, "$.p", r'"C:\\\\Users"')]),
    "doubled quotes": (r'{"p": "say \\\"hi\\\""}', None, [(TWICE, "$.p", r'"say \\\"hi\\\""')]),
    "doubled line breaks": (r'{"p": "def f():\\n    return 1"}', None, [(TWICE, "$.p", r'"def f():\\n    return 1"')]),
    "doubled letters": (r'{"p": "caf\\u00e9"}', None, [(TWICE, "$.p", r'"caf\\u00e9"')]),
    "encoded twice": (r'"{\"city\": \"Paris\"}"', PARIS, [(WHOLE, "$", r'"{\"city\": \"Paris\"}"')]),
    "escaped without quotes": (r"{\"city\": \"Paris\"}", PARIS, [(WHOLE, "$", r"{\"city\": \"Paris\"}")]),
}
NEAR_MISSES = {
    "HTML": r'{"a": "<div class=\"x\">a</div><s>b</s><param name=\"c\"><br/>"}',
    "HTML beside it": '<p>So:</p> {"a": 1} <s>no</s>',
    "a comparison": '{"a": "x <| y |> z < 3 || b"}',
    "a path": r'{"a": "C:\\Users\\new\\table"}',
    "a path with parts that look like escapes": r'{"a": "D:\\t1\\n8"}',
    "a share": r'{"a": "\\\\server\\new"}',
    "LaTeX": r'{"a": "\\nabla f = \\tau \\times 2 \\\\ \\rho"}',
    "an expression": r'{"a": "^\\d+\\n"}',
    "code with quotes": r'{"a": "print(\"a\\nB\")"}',
    "a small letter behind it": r'{"a": "a\\nb"}',
    "an escape": r'{"a": "a \"b\" \n c"}',
    "reasoning": '<think><|call|></think>{"a": 1}',
}


def shown(notes: tuple[Note, ...], text: str) -> list[tuple[str, str, str]]:
    return [(note.action, note.path, text[slice(*note.span)]) for note in notes if note.action in ACTIONS]


@pytest.mark.parametrize("row", ROWS)
def test_rest_is_noted_and_no_value_changes(row: str) -> None:
    text, data, notes = ROWS[row]
    data = data or json.loads(text)
    assert shown(parse_llm_json_output_with_trace(text, Tool).decoded.notes, text) == notes
    call = parse_named_call("f", text, TOOLS, id_="c")
    assert (call.arguments, call.id, shown(call.notes, text)) == (data, "c", notes)


@pytest.mark.parametrize("row", NEAR_MISSES)
def test_what_only_looks_like_a_rest_is_none(row: str) -> None:
    text = NEAR_MISSES[row]
    assert shown(parse_llm_json_output_with_trace(text, Tool).decoded.notes, text) == []
    assert parse_named_call("f", text, TOOLS).notes == ()


def test_note_says_what_a_string_is_without_one_layer_of_escapes() -> None:
    (note,) = parse_named_call("f", r'{"p": "C:\\\\Users"}', TOOLS).notes
    assert note.meant == r"C:\Users"


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (f'{HEADER}{{"city": "Paris"}}', [(BESIDE, "", HEADER)]),
        (f' {CONSTRAINED}{{"city": "Paris"}}<|call|>', [(BESIDE, "", CONSTRAINED), (BESIDE, "", "<|call|>")]),
        (
            f'{HEADER}{{"city": "Paris", "a": "x<|end|>"}}',
            [(BESIDE, "", HEADER), (INSIDE, "$.a", "<|end|>")],
        ),
        (
            "<function=f><parameter=city>Paris</parameter></function>",
            [(BESIDE, "", mark) for mark in ("<function=", "<parameter=", "</parameter>", "</function>")],
        ),
    ],
)
def test_header_of_a_call_before_its_own_arguments_is_left_out(text: str, notes: list[tuple[str, str, str]]) -> None:
    call = parse_named_call("f", text, TOOLS)
    assert call.arguments["city"] == parse_tool_call(text, Tool, name="f")["city"] == "Paris"
    assert shown(call.notes, text) == notes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f'{HEADER.replace(".f", ".g")}{{"city": "Paris"}}', "tool call"),
        (f'{HEADER}{{"city": "Paris"}}<|call|>{HEADER}{{"city": "Rome"}}', "tool call"),
        (f'{HEADER}{{"city": "Par', "tool call"),
        (f'{HEADER}{{"city": "Paris"}}<|call|>{{"city": "Rome"}}', "tool call"),
        ('<tool_call>{"name": "f", "arguments": {}}</tool_call> No, {"city": "Rome"}', "tool call"),
        ('<tool_call>{"name": "f", "arguments": {}}</tool_call>｛"city": "Rome"｝', "tool call"),
    ],
)
def test_header_of_another_call_is_refused(text: str, why: str) -> None:
    with pytest.raises(LLMJsonParseError, match=why):
        parse_named_call("f", text, TOOLS)


def test_header_of_arguments_that_were_cut_off_is_refused() -> None:
    with pytest.raises(LLMJsonParseError, match="cut off"):
        parse_tool_call(f'{HEADER}{{"city": "Paris"}}', Tool, name="f", finished=False)


CALLS = {
    '<tool_call>{"name": "f", "arguments": {"a": "x</arg_value>"}}</tool_call>': [(INSIDE, "$.a", "</arg_value>")],
    '<tool_call>{"name": "f", "arguments": {"a": "is it <tool_call>?"}}</tool_call>': [(INSIDE, "$.a", "<tool_call>")],
    "<function=f><parameter=a>ls<|call|></parameter></function>": [(INSIDE, "$.a", "<|call|>")],
    '[TOOL_CALLS]f[ARGS]{"a": "x<|im_end|>", "n": 90071992547409931}': [(INSIDE, "$.a", "<|im_end|>")],
    '<function=f>{"a": "x"} <|foo|></function>': [(BESIDE, "", "<|foo|>")],
    '<tool_call>{"name": "f", "arguments": {}}</arg_value></tool_call>': [(BESIDE, "", "</arg_value>")],
    '<tool_call>{"name": "f", "arguments": {}}</parameter></arg_value>>\n': [
        (BESIDE, "", "</parameter>"),
        (BESIDE, "", "</arg_value>>"),
    ],
    '<tool_calls>{"name": "f", "arguments": {}}</arg_value></tool_calls>': [(BESIDE, "", "</arg_value>")],
    '<tool_call>{"name": "f", "arguments": "{}"}</tool_call>': [],
    '<tool_call>{"name": "f", "arguments": {"a": "<b>x</b>"}}</tool_call>': [],
}


@pytest.mark.parametrize("text", CALLS)
def test_rest_in_a_call_of_a_text_is_noted_at_its_place(text: str) -> None:
    text = f"I call. {text}"
    (call,) = read_tool_calls(text, {"f": type("F", (BaseModel,), {"__annotations__": {"a": str}, "a": ""})})
    assert shown(call.notes, text) == CALLS[text.removeprefix("I call. ")]
    stream = ToolCallStream(TOOLS)
    (streamed,) = [*stream.feed(text[:20]).calls, *stream.feed(text[20:]).calls] or stream.close()
    assert streamed.notes == call.notes


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "f", "arguments": {}}</arg_value><arg_key>a</arg_key></tool_call>',
        '<tool_call>{"name": "f", "arguments": {}}</arg_value> No.',
        '<tool_call>{"name": "f", "arguments": {}</arg_value></tool_call>',
        '<function=f>{"a": "x"}</parameter></function>',
    ],
)
def test_mark_of_a_parameter_that_may_be_missing_is_refused(text: str) -> None:
    with pytest.raises(LLMJsonParseError, match=r"tool call|JSON"):
        read_tool_calls(text, TOOLS)


def test_rest_in_arguments_that_are_a_string_has_the_place_of_the_call() -> None:
    text = r'<tool_call>{"name": "f", "arguments": "{\"a\": \"x<|call|>\"}"}</tool_call>'
    (call,) = read_tool_calls(text, TOOLS)
    assert shown(call.notes, text) == [(INSIDE, "$.a", text)]
