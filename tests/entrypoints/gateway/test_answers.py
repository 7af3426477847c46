"""What a client gets for what a model wrote: the rows of `answers.toml`, whole and in pieces."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.entrypoints.gateway.gateways import FORMAT, TOOLS, Seen, ask, stream, value_of
from tests.loopback.answers import Answer, answer, tool_call
from tests.loopback.server import ChatServer

ROWS = tomllib.loads((Path(__file__).parent / "answers.toml").read_text("utf-8"))["row"]
ASKING: dict[str, dict[str, Any]] = {
    "schema": {"response_format": FORMAT},
    "tools": {"tools": TOOLS},
    "both": {"response_format": FORMAT, "tools": TOOLS},
}


def written(row: dict[str, Any], pieces: list[str] | None = None) -> Answer:
    calls = [tool_call(*call) for call in row.get("calls", ())]
    message: dict[str, Any] = {"tool_calls": calls} if calls else {}
    return answer(row.get("text"), row.get("finish", "stop"), pieces=pieces, **message)


def check(seen: Seen, row: dict[str, Any]) -> None:
    if "error" in row:
        assert seen.error is not None, seen
        assert seen.error[1] == row["error"]
        return
    assert seen.error is None
    if "value" in row:
        assert value_of(seen.content) == value_of(row["value"])
    else:
        assert seen.content == row.get("content")
    assert [list(call) for call in seen.calls] == row.get("made", [])
    assert seen.reasoning == row.get("reasoning", "")
    assert seen.finish == row.get("end", "stop")
    assert (seen.facts["grade"], seen.facts["tries"]) == (row["grade"], "1")


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_whole_answer_is_what_was_asked_for_or_an_error(
    row: dict[str, Any], once: openai.OpenAI, chat_server: ChatServer
) -> None:
    chat_server.script([written(row)])
    seen = ask(once, **ASKING[row["for"]])
    check(seen, row)
    assert seen.error is None or seen.error[0] == 422


@pytest.mark.parametrize("size", [1, 5, 10_000])
@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_stream_equals_the_whole(
    row: dict[str, Any], size: int, once: openai.OpenAI, chat_server: ChatServer
) -> None:
    text = row.get("text")
    pieces = [text[at : at + size] for at in range(0, len(text), size)] if text else None
    chat_server.script([written(row, pieces)])
    check(stream(once, **ASKING[row["for"]]), row)


def test_without_a_format_and_tools_everything_passes_as_it_is(once: openai.OpenAI, chat_server: ChatServer) -> None:
    text = '<think>a</think><tool_call>{"name": "search"'
    chat_server.script([answer(text), answer(text)])
    assert (ask(once).content, stream(once).content) == (text, text)
    chat_server.script([answer(text)])
    assert ask(once, response_format={"type": "text"}).content == text


def test_a_call_in_the_text_is_none_where_the_request_forbids_calls(
    once: openai.OpenAI, chat_server: ChatServer
) -> None:
    text = '<tool_call>{"name": "search", "arguments": {"q": "tea"}}</tool_call>'
    chat_server.script([answer(text)])
    assert ask(once, tools=TOOLS, tool_choice="none").content == text


def test_any_object_is_read_where_no_schema_is_given(once: openai.OpenAI, chat_server: ChatServer) -> None:
    asked: dict[str, Any] = {"response_format": {"type": "json_object"}}
    chat_server.script([answer("{'a': [1,],}"), answer("[1]")])
    assert value_of(ask(once, **asked).content) == {"a": [1]}
    assert ask(once, **asked).error == (422, "llm_json_parse_error")


def test_a_refusal_of_the_model_passes(once: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([answer(None, refusal="I cannot say")])
    raw = once.chat.completions.create(model="m", messages=[], response_format=FORMAT)
    assert raw.choices[0].message.refusal == "I cannot say"


@pytest.mark.parametrize("place", ["response_format", "tools"])
def test_a_schema_that_cannot_be_used_is_refused_before_anybody_is_asked(
    place: str, once: openai.OpenAI, chat_server: ChatServer
) -> None:
    wrong = {"type": "object", "properties": {"a": {"$ref": "https://example.com/elsewhere"}}}
    asked: dict[str, Any] = {"tools": [{"type": "function", "function": {"name": "f", "parameters": wrong}}]}
    if place == "response_format":
        asked = {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": wrong}}}
    with pytest.raises(openai.BadRequestError, match="cannot be used as a type") as caught:
        once.chat.completions.create(model="m", messages=[], **asked)
    assert str(caught.value.param).startswith(place)
    assert chat_server.requests == []


@pytest.mark.parametrize("arguments", ["null", "", "{}"])
def test_a_call_without_arguments_is_one_however_it_is_written(
    arguments: str, once: openai.OpenAI, chat_server: ChatServer
) -> None:
    chat_server.script([answer(None, "tool_calls", tool_calls=[tool_call("now", arguments)])])
    tools: Any = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]
    assert ask(once, tools=tools).calls == [("now", "{}")]
