"""Calls of tools in a text that comes in pieces: each comes once it is whole, and as in the whole text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Notation
from src.shared.infrastructure.tool_call_stream import LONGEST, ToolCallStream
from src.shared.infrastructure.tool_calls import read_tool_calls
from tools.attack.notations import TOOLS, example_of
from tools.benchmarks.tool_call_texts import DIALECTS, NOTE, NOW, PARIS
from tools.benchmarks.tool_call_texts import TOOLS as SEVERAL_TOOLS

ROWS = pytest.mark.parametrize("row", NOTATIONS, ids=[row.name for row in NOTATIONS])
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'


class Weather(BaseModel):
    city: str
    days: int = 1


def pieces(text: str, seed: int) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - a sample
    edges = sorted(rng.sample(range(1, len(text)), min(9, len(text) - 1)))
    return [text[start:end] for start, end in zip([0, *edges], [*edges, len(text)], strict=True)]


def offsets(text: str, chunks: list[str], tools: dict[str, Any]) -> list[tuple[int, str]]:
    """At which offset, in steps of the pieces, which call came."""
    stream, at, came = ToolCallStream(tools), 0, []
    for chunk in chunks:
        at += len(chunk)
        came += [(at, call.name) for call in stream.feed(chunk).calls]
    assert stream.close() == read_tool_calls(text, tools)
    return came


@ROWS
def test_text_in_any_pieces_gives_the_calls_of_the_whole_text(row: Notation) -> None:
    text = example_of(row)
    offsets(text, list(text), TOOLS)
    for seed in range(3):
        offsets(text, pieces(text, seed), TOOLS)


@pytest.mark.parametrize("name", DIALECTS)
def test_calls_come_one_by_one_as_in_the_whole_text(name: str) -> None:
    text = f"I will look.\n{DIALECTS[name].write([NOW, NOTE, PARIS])}"
    for seed in range(3):
        offsets(text, pieces(text, seed), SEVERAL_TOOLS)


def test_call_comes_with_its_last_sign() -> None:
    text = f"{HERMES}\n{HERMES}\nDone."
    assert offsets(text, list(text), {"get_weather": Weather}) == [
        (len(HERMES), "get_weather"),
        (2 * len(HERMES) + 1, "get_weather"),
    ]


@pytest.mark.parametrize("text", [HERMES, '[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}</s>'])
def test_arguments_grow_while_they_are_written(text: str) -> None:
    stream, shown = ToolCallStream({"get_weather": Weather}), []
    for char in text:
        snapshot = stream.feed(char)
        shown += [snapshot.arguments["city"]] if snapshot.arguments and "city" in snapshot.arguments else []

    assert shown[-1] == "Rome"
    assert all("Rome".startswith(part) for part in shown)


TAGGED = {
    "Qwen3-Coder": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "GLM": (
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value><arg_key>days</arg_key>"
        "<arg_value>3</arg_value></tool_call>"
    ),
    "Gemma 4": '<|tool_call>call:get_weather{city:<|"|>Rome<|"|>,days:3}<tool_call|>',
}


@pytest.mark.parametrize("name", TAGGED)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_each_parameter_is_shown_once_it_is_whole(name: str, size: int) -> None:
    stream, shown, text = ToolCallStream({"get_weather": Weather}), [], TAGGED[name]
    for at in range(0, len(text), size):
        snapshot = stream.feed(text[at : at + size])
        shown += [dict(snapshot.arguments)] if snapshot.arguments is not None else []

    assert all(one in ({}, {"city": "Rome"}) for one in shown)
    assert size == 1000 or {"city": "Rome"} in shown
    assert stream.close() == read_tool_calls(text, {"get_weather": Weather})


@pytest.mark.parametrize(
    "value",
    ["Ro </parameter> me", "Ro <parameter=days> me", '<|"|>Rome<|"|>', "Rome</parameter> and\n" + "more " * 100],
)
def test_parameter_that_may_go_on_or_be_rewritten_is_not_shown(value: str) -> None:
    stream = ToolCallStream({"get_weather": Weather})
    text = f"<function=get_weather>\n<parameter=city>\n{value}\n</parameter>\n<parameter=days>\n3\n</parameter>"
    shown = [stream.feed(char).arguments for char in text]

    assert not any(one and "city" in one for one in shown)


def test_parameter_with_two_readings_is_not_shown() -> None:
    class Either(BaseModel):
        city: int | str

    stream = ToolCallStream({"get_weather": Either})
    text = "<function=get_weather><parameter=city>3</parameter><parameter=city"
    assert [dict(one) for char in text if (one := stream.feed(char).arguments)] == []


def test_parameter_that_cannot_be_read_is_not_shown() -> None:
    class Listed(BaseModel):
        city: list[int]

    stream = ToolCallStream({"get_weather": Listed})
    text = "<function=get_weather><parameter=city>[}{]</parameter><parameter=city"
    assert [dict(one) for char in text if (one := stream.feed(char).arguments)] == []


def test_call_of_another_tool_is_not_shown() -> None:
    stream = ToolCallStream({"get_weather": Weather})
    assert [stream.feed(char).name for char in "<function=other><parameter=city>Rome</parameter>"][-1] is None


def test_call_in_reasoning_never_comes() -> None:
    text = f"<think>{HERMES}</think>Sunny."
    stream = ToolCallStream({"get_weather": Weather})
    snapshots = [stream.feed(char) for char in text]

    assert not any(snapshot.calls or snapshot.arguments for snapshot in snapshots)
    assert stream.close() == ()


def test_call_in_code_never_comes() -> None:
    text = f"Write `{HERMES}` for it."
    assert offsets(text, list(text), {"get_weather": Weather}) == []


def test_call_that_turns_out_to_be_reasoning_is_an_error() -> None:
    stream = ToolCallStream({"get_weather": Weather})
    assert stream.feed(HERMES).calls
    stream.feed(" or not?</think>Sunny.")

    with pytest.raises(LLMJsonParseError, match="after all"):
        stream.close()


def test_call_that_does_not_satisfy_its_type_is_an_error_at_the_end() -> None:
    stream = ToolCallStream({"get_weather": Weather})
    assert stream.feed(HERMES.replace('"Rome"', "3")).calls == ()

    with pytest.raises(LLMJsonParseError, match="city"):
        stream.close()


def test_text_that_is_too_long_is_read_at_the_end() -> None:
    stream = ToolCallStream({"get_weather": Weather})
    stream.feed("x " * LONGEST)

    assert stream.feed(HERMES).calls == ()
    assert len(stream.close()) == 1


def test_cut_call_is_refused_at_the_end() -> None:
    stream = ToolCallStream({"get_weather": Weather})
    stream.feed(HERMES[:60])

    with pytest.raises(LLMJsonParseError) as caught:
        stream.close(finished=True)
    assert caught.value.details["truncated"] is True
