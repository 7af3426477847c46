"""The call of a tool that a model wrote as text is no answer: where it is one, where it is none, and who says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import HOLDS_CALL
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing import leaked_calls, scan
from src.shared.infrastructure.parsing.inspection import inspect, stage_names
from src.shared.infrastructure.parsing.leaked_calls import BARE_LIST, INSIDE, NAMED_BODY, TAG_BODY
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.tool_call_forms import marks
from src.shared.infrastructure.tool_call_forms.call_objects import names_of_calls
from src.shared.infrastructure.tool_calls import contains_tool_call
from tools.benchmarks.tool_call_texts import DIALECTS, MARKS, ONE_CALL, SEVERAL


class Review(BaseModel):
    """A type that any object of arguments satisfies."""

    path: str = "x"
    city: str = ""
    query: str = ""
    score: int = 0


class Call(BaseModel):
    name: str
    arguments: dict[str, Any]


ANSWER = '{"score": 5}'
HERMES = '<tool_call>{"name": "f", "arguments": {"path": "a"}}</tool_call>'

CALLS = {
    "Mistral": '[TOOL_CALLS]f[ARGS]{"path": "a"}',
    "Mistral, without the mark of arguments": '[TOOL_CALLS]f{"path": "a"}',
    "Mistral, with an id": '[TOOL_CALLS]f[CALL_ID]a1[ARGS]{"path": "a"}',
    "Mistral, a list": '[TOOL_CALLS] [{"name": "f", "arguments": {"path": "a"}}]',
    "a tag of a function": '<function=f>{"path": "a"}</function>',
    "a tag of a function, damaged": "<function=f>{path: 'a',}</function>",
    "a tag of a function, cut": '<function=f>{"path": "a"',
    "harmony": '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"path": "a"}<|call|>',
    "harmony, the tool in the role": (
        '<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"path": "a"}<|call|>'
    ),
    "harmony, no channel": '<|start|>assistant to=functions.f<|message|>{"path": "a"}<|call|>',
    "harmony, an answer behind": (
        '<|channel|>commentary to=functions.f<|message|>{"path": "a"}<|call|>'
        f"<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>"
    ),
    "harmony, its signs removed": 'commentary to=functions.f json\n{"path": "a"}',
    "Kimi": '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"path": "a"}',
    "Kimi, the first mark missing": 'functions.f:0<|tool_call_argument_begin|>{"path": "a"}',
    "DeepSeek": '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"path": "a"}\n```<｜tool▁call▁end｜>',
    "DeepSeek, the first mark missing": 'function<｜tool▁sep｜>f\n```json\n{"path": "a"}\n```',
    "Mistral, the first mark missing": 'f[ARGS]{"path": "a"}',
    "Hermes": HERMES,
    "Hermes, in Chinese": '我来查询。\n<tool_call>\n{"name": "查询", "arguments": {"path": "北京"}}\n</tool_call>',
    "Hermes, in a fence": f"```json\n{HERMES}\n```",
    "Hermes, a fence inside": '<tool_call>\n```json\n{"name": "f", "arguments": {"path": "a"}}\n```\n</tool_call>',
    "Hermes, damaged": "<tool_call>{'name': 'f', 'arguments': {'path': 'a',}}</tool_call>",
    "Hermes, not to be read": '<tool_call>{"name": "f", "arguments": {"a": ["he said "no", "yes"]}}</tool_call>',
    "Hermes, cut": '<tool_call>{"name": "f", "arguments": {"path": "a',
    "Hermes, cut behind a value": '<tool_call>{"name": "f", "arguments": {"path": "a"',
    "Hermes, code on the line": f"I use `f` and `g`: {HERMES}",
    "Hermes, prose behind the mark": '<tool_call>\nI call it: {"name": "f", "arguments": {"path": "a"}}\n</tool_call>',
    "Hermes, no arguments": '<tool_call>{"name": "f"}</tool_call>',
    "Hermes, arguments in a string": '<tool_call>{"name": "f", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>',
    "Hermes, another member": '<tool_call>{"why": "x", "name": "f", "arguments": {"path": "a"}}</tool_call>',
    "Hermes, the first mark missing": '{"name": "f", "arguments": {"path": "a"}}</tool_call>',
    "Hermes, OpenAI's object": '<tool_call>{"function": {"name": "f", "arguments": {"path": "a"}}}</tool_call>',
    "Hermes, the name in front": '<tool_call>f\n{"path": "a"}\n</tool_call>',
    "Qwen": '<tool_call>\n<function=f>\n<parameter=path>\n{"path": "a"}\n</parameter>\n</function>\n</tool_call>',
    "Qwen, a mark of reasoning in it": (
        '<function=f><parameter=path>\na </think> {"path": "x"}\n</parameter></function>'
    ),
    "Qwen, the first mark missing": '<parameter=path>\n{"path": "a"}\n</parameter>',
    "GLM": '<tool_call>f\n<arg_key>path</arg_key>\n<arg_value>{"path": "a"}</arg_value>\n</tool_call>',
    "MiniMax": '<invoke name="f"><parameter name="path">{"path": "a"}</parameter></invoke>',
    "Llama": '<|python_tag|>{"name": "f", "parameters": {"path": "a"}}<|eom_id|>',
    "Gemma": '```tool_code\nf(path={"path": "a"})\n```',
    "Python's form": '[f(path={"path": "a"})]',
    "Python's form, behind prose": 'Sure:\n[f(path={"path": "a"})]',
    "an answer in front": f"{ANSWER}\n{HERMES}",
    "an answer behind": f"{HERMES}\n{ANSWER}",
    "an answer in a fence": f"```json\n{ANSWER}\n```\n{HERMES}",
    "reasoning in front": f"<think>{ANSWER}</think>{HERMES}",
}

WHOLE = (
    *("Hermes", "Hermes, damaged", "Hermes, arguments in a string", "Hermes, another member", "Llama"),
    *("Hermes, the first mark missing", "Hermes, OpenAI's object", "reasoning in front", "Hermes, in Chinese"),
    *("Hermes, in a fence", "Hermes, a fence inside", "Hermes, code on the line", "Hermes, prose behind the mark"),
)
"""Those whose only object has a name and arguments."""

ANSWERS = {
    "no mark": ANSWER,
    "no name": f"<tool_call>{ANSWER}</tool_call>",
    "no name, a language": f"<tool_call>\nJSON {ANSWER}\n</tool_call>",
    "no name, a fence": f"<tool_call>```json\n{ANSWER}\n```",
    "no name, one mark": f"<function_call>{ANSWER}",
    "no name, the last mark": f"{ANSWER}</tool_call>",
    "a name that is no tool's": '<tool_call>{"name": "Ann", "age": 4, "score": 5}</tool_call>',
    "a name further in": '<tool_call>{"score": 5, "by": {"name": "f", "arguments": {}}}</tool_call>',
    "a mark that prose speaks of": f"The <tool_call> tag is not used here.\n{ANSWER}",
    "a tag that prose speaks of": f"See <function=f> for it:\n{ANSWER}",
    "no calls": f"No [TOOL_CALLS] were made. {ANSWER}",
    "a mark in code": f"I used `<tool_call>` before. {ANSWER}",
    "a call in code": f"I used `<function=f></function>` before:\n{ANSWER}",
    "a call in code of two backticks": f"I used ``<function=f></function>`` before:\n{ANSWER}",
    "tags of parameters that prose speaks of": f"Write <parameter=a><parameter=b> first.\n{ANSWER}",
    "a list that is no call": f"[f(x = y)] was tried.\n{ANSWER}",
    "a call of Python's in a sentence": f'Call `f(path="a")`: {ANSWER}',
    "a string": '{"score": 5, "path": "[TOOL_CALLS]f[ARGS]{}"}',
    "a string in a fence": '```json\n{"score": 5, "path": "<function=f>{}</function>"}\n```',
    "a string in single quotes": "{'score': 5, 'path': '<function=f>{}</function>'}",
    "a string that holds a call": '{"score": 5, "path": "<tool_call>{\\"name\\": \\"f\\", \\"arguments\\": {}}"}',
    "reasoning": f"<think>{HERMES}</think>{ANSWER}",
    "reasoning whose mark is missing": f"maybe {HERMES}</think>{ANSWER}",
    "reasoning of harmony": (
        f"<|channel|>analysis<|message|>maybe {HERMES}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}"
    ),
    "a message to the user": f"<|start|>assistant to=user<|message|>{ANSWER}",
    "a comment": f"{ANSWER} <!-- [TOOL_CALLS] -->",
    "an end of the turn": f"{ANSWER}<|im_end|>",
}

CALLERS: dict[str, Callable[[str, bool | None], Any]] = {
    "decode": lambda text, finished: decode_llm_json(text, finished=finished).data,
    "decode, any root": lambda text, finished: decode_llm_json(text, root="any", finished=finished).data,
    "salvage": lambda text, finished: decode_llm_json(text, salvage=True, finished=finished).data,
    "several": lambda text, finished: decode_llm_json(text, several="last", finished=finished).data,
    "parse": lambda text, finished: parse_llm_json_output(text, Review, finished=finished),
    "parse, any object": lambda text, finished: parse_llm_json_output(text, dict[str, Any], finished=finished),
    "parse, a list": lambda text, finished: parse_llm_json_output(text, list[Any], finished=finished),
    "trace": lambda text, finished: parse_llm_json_output_with_trace(text, Review, finished=finished).value,
    "coerce": lambda text, finished: parse_llm_json_output(text, Review, coerce=True, finished=finished),
}
UNTYPED = ("decode", "decode, any root", "salvage", "several", "parse, any object")
"""Those that may ask for the object of a call itself."""


def refusal(text: str, caller: Callable[[str, bool | None], Any], finished: bool | None = None) -> LLMJsonParseError:  # noqa: FBT001 - passed on
    with pytest.raises(LLMJsonParseError) as caught:
        caller(text, finished)
    return caught.value


# --- what is a call ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "by"), [(call, by) for call in CALLS for by in CALLERS if call not in WHOLE or by not in UNTYPED]
)
def test_call_is_never_the_value(call: str, by: str) -> None:
    text, caller = CALLS[call], CALLERS[by]
    assert [refusal(text, caller, finished).details["stage"] for finished in (None, True)] == ["tool_call"] * 2
    assert refusal(text, caller, finished=False) if caller is not CALLERS["salvage"] else True


@pytest.mark.parametrize("name", [name for name in DIALECTS if not name.startswith("no mark")])
def test_call_in_any_dialect_is_never_the_value(name: str) -> None:
    written = [DIALECTS[name].write(calls) for calls in [*((one,) for one in ONE_CALL if one is not MARKS), *SEVERAL]]
    for text in [*written, f"I will look that up.\n\n{written[0]}", f"<think>Hm.</think>{written[0]}"]:
        typed = {refusal(text, caller).details["stage"] for by, caller in CALLERS.items() if by not in UNTYPED}
        assert typed == {"tool_call"}
        assert [is_refused_or_itself(text, CALLERS[by]) for by in UNTYPED] == [True] * len(UNTYPED)
        assert contains_tool_call(text)


def is_refused_or_itself(text: str, caller: Callable[[str, bool | None], Any]) -> bool:
    """Whether what comes back is the call with its name, if anything does: never its arguments alone."""
    try:
        return bool(names_of_calls(caller(text, None)))
    except LLMJsonParseError as error:
        return bool(error.details["stage"] == "tool_call")


@pytest.mark.parametrize("by", UNTYPED)
@pytest.mark.parametrize("call", WHOLE)
def test_call_that_is_the_only_object_is_data_where_no_type_asks_for_something_else(call: str, by: str) -> None:
    assert names_of_calls(CALLERS[by](CALLS[call], None)) in (["f"], ["查询"])


def test_call_that_is_the_only_object_is_read_into_a_type_with_its_members() -> None:
    assert parse_llm_json_output(HERMES, Call) == Call(name="f", arguments={"path": "a"})
    assert (
        refusal(f"{HERMES}\n{HERMES}", lambda text, _: parse_llm_json_output(text, Call)).details["stage"]
        == "tool_call"
    )


# --- what is none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_answer_beside_what_is_no_call_is_read(text: str) -> None:
    assert decode_llm_json(text).data["score"] == 5
    assert contains_tool_call(text) is False


@pytest.mark.parametrize("text", ['{"name": "f", "arguments": {}}', 'Here:\n{"name": "f", "arguments": {}}'])
def test_object_like_a_call_without_marks_is_an_answer_like_every_other(text: str) -> None:
    assert decode_llm_json(text).data == {"name": "f", "arguments": {}}
    assert parse_llm_json_output(text, Call) == Call(name="f", arguments={})


@pytest.mark.parametrize("text", ["", None, "Done.", "<tool_call>", "<think>x", f"<think>{HERMES}</think>", '{"a": 1'])
def test_text_without_a_call_contains_none(text: str | None) -> None:
    assert contains_tool_call(text) is False


# --- the question alone, with the names of tools ------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "f", "arguments": {}}',
        '[{"type": "function", "function": {"name": "f", "arguments": "{}"}}]',
        'Sure: {"name": "f", "parameters": {"a": 1}}',
        "f(a=1)",
        "I call [f(1)]",
        HERMES,
    ],
)
def test_call_without_marks_counts_where_its_tool_is_named(text: str) -> None:
    assert contains_tool_call(text, {"f": Review})
    assert contains_tool_call(text, ["f"])


@pytest.mark.parametrize("text", ['{"name": "g", "arguments": {}}', '{"name": "f"}', "f is a tool", '{"f": 1}', ""])
def test_text_without_a_call_of_the_tools_contains_none(text: str) -> None:
    assert contains_tool_call(text, ["f"]) is False


def test_text_that_is_no_string_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="decode bytes first"):
        contains_tool_call(b"x")  # type: ignore[arg-type]


# --- what the error says ------------------------------------------------------------------------------------


def test_error_says_that_there_is_a_call_where_it_is_and_what_reads_it() -> None:
    error = refusal(f"Sure.\n{HERMES}", CALLERS["parse"])

    assert error.details["json_error"] == HOLDS_CALL.en
    assert error.details["position"] == {"line": 2, "column": 1, "offset": 6}
    assert error.message.startswith("不是合法 JSON：文本中有工具调用")
    assert "read_tool_calls" in error.message
    assert "line 2, column 1" in error.feedback()


def test_position_is_that_of_the_first_call() -> None:
    assert refusal(f"[f(a=1)]\n{HERMES}", CALLERS["parse"]).details["position"]["line"] == 2
    assert refusal(f"{ANSWER} x\n[f(a=1)]\n[g(b=", CALLERS["decode"]).details["position"]["line"] == 2


def test_repair_agent_is_not_asked_about_a_call() -> None:
    assert is_repairable(HERMES, refusal(HERMES, CALLERS["parse"])) is False


def test_place_of_the_refusal_is_told_among_the_stages() -> None:
    reading = inspect(f"<think>x</think>{HERMES}", Review)

    assert reading.error is not None
    assert [note.stage for note in reading.notes] == ["think"]
    assert stage_names("tool_call")[:5] == ("empty", "think", "fence", "tool_call", "control_chars")
    assert stage_names("repair") == stage_names()


# --- streams ------------------------------------------------------------------------------------------------


def shown_of(text: str) -> list[Any]:
    stream = LLMJsonStream(Review)
    shown = [stream.feed(char).data for char in text]
    refusal(text, lambda _, finished: stream.close(finished))
    return [data for data in shown if data is not None]


@pytest.mark.parametrize(
    "text",
    [text for name, text in CALLS.items() if name not in {"an answer in front", "an answer in a fence"}],
    ids=[name for name in CALLS if name not in {"an answer in front", "an answer in a fence"}],
)
def test_nothing_of_a_call_is_shown_in_a_stream(text: str) -> None:
    assert shown_of(text) == []
    assert shown_of(f"Let me look.\n{text}") == []


def test_argument_with_a_mark_of_reasoning_is_not_shown_behind_long_prose_either() -> None:
    prose = "I will write it to the file as you asked. " * 20
    inner = '<function=f><parameter=path>\na </think>\n{"path": "x"}\n</parameter></function>'

    assert shown_of(f"{inner[:28]}{prose}{inner[28:]}") == []


# --- expressions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "text", "is_match"),
    [
        (NAMED_BODY, "f[ARGS]{", True),
        (NAMED_BODY, "\nf {", True),
        (NAMED_BODY, "f-1.g:0{", True),
        (NAMED_BODY, " f {", False),
        (NAMED_BODY, " is: {", False),
        (NAMED_BODY, "f: {", True),
        (NAMED_BODY, "json\n{", False),
        (NAMED_BODY, "json_of{", True),
        (NAMED_BODY, "f</tool_call>", True),
        (NAMED_BODY, "[f(a = 1", True),
        (NAMED_BODY, "print(f())", True),
        (NAMED_BODY, "tags(like this)", False),
        (TAG_BODY, "\n{", True),
        (TAG_BODY, "```json\n{", True),
        (TAG_BODY, '<parameter name="a">', True),
        (TAG_BODY, "</function>", True),
        (TAG_BODY, " for it", False),
        (INSIDE, "[ARGS]{", False),
        (INSIDE, "to=functions.f <|constrain|>json<|message|>{", True),
        (INSIDE, "to=functions.f is", False),
        (BARE_LIST, " [f.g(a=1", True),
        (BARE_LIST, "[f()]", True),
        (BARE_LIST, "[f(1)]", False),
        (BARE_LIST, "[f]", False),
    ],
)
def test_expression_matches_this_and_not_that(expression: re.Pattern[str], text: str, *, is_match: bool) -> None:
    assert (expression.match(text) is not None) == is_match


@pytest.mark.parametrize(
    "family",
    [
        '`[TOOL_CALLS]f[ARGS]{"a": 1}` ',
        '<｜DSML｜parameter  name="a">',
        '<tool_call>{"a": 1} ',
        "</tool_call>",
        "\n[f(a=[1,",
        '{"a":"<tool_call>"} <tool_call>x </tool_call> [TOOL_CALLS] ',
    ],
)
def test_many_marks_are_looked_at_in_one_go(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of a text's characters is given to the expressions a bounded number of times."""
    looked_at: list[int] = []

    class Counting:
        def __init__(self, expression: re.Pattern[str]) -> None:
            self._expression = expression

        def match(self, text: str, at: int) -> re.Match[str] | None:
            found = self._expression.match(text, at)
            looked_at.append(len(found.group()) if found else 1)
            return found

        def search(self, text: str, at: int = 0) -> re.Match[str] | None:
            found = self._expression.search(text, at)
            looked_at.append((found.end() if found else len(text)) - at)
            return found

        def finditer(self, text: str) -> Iterator[re.Match[str]]:
            looked_at.append(len(text))
            return self._expression.finditer(text)

    monkeypatch.setattr(marks, "MARK", Counting(marks.MARK))
    monkeypatch.setattr(scan, "CODE", Counting(scan.CODE))
    for name in ("NAMED_BODY", "TAG_BODY", "INSIDE", "BARE_LIST"):
        monkeypatch.setattr(leaked_calls, name, Counting(getattr(leaked_calls, name)))
    state = ParseState.of(family * 500, Target())

    leaked_calls.place_of_call(state)
    leaked_calls.place_of_list(state)

    assert sum(looked_at) <= 10 * len(state.text)
