"""The calls of a text cost steps, and characters that are searched, in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.reading.openings import LISTS_TOO
from src.shared.infrastructure import tool_call_stream
from src.shared.infrastructure.tool_call_forms import reader
from src.shared.infrastructure.tool_call_forms.marks import Found, next_mark
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import read_tool_calls
from tests.linear.steps import steps
from tests.streamed import pieces

SHORT, LONG = 1_000, 4_000
MOST = 5.5
"""How many times more four times the text may cost."""


class Question(BaseModel):
    q: str


TOOLS = {"f": Question}
MARKS = sorted({mark for row in NOTATIONS for marks in (*row.wraps, row.parameter) for mark in marks if mark})
UNITS = [
    *(
        "word ",
        "Some prose, and more. ",
        "<think>x",
        "[THINK]x",
        "【思考】x",
        "</think>",
        "{",
        "[",
        "}",
        '"',
        "```\n",
        "<",
        ">",
    ),
    *("<f><parameter=a>", '<tool_call>{"a":"', "[f(", "[f(a='", "<|channel|>", '{"a":"<tool_call>"} '),
    *('{"a":1}</tool_call></think>', "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"),
    *("<a ", "<|", "<tool_call>x{", '{"a": 1}\n', "f(", "`", *MARKS, *(mark[:-1] for mark in MARKS if len(mark) > 1)),
]
BEGUN = {
    "nothing": "",
    "an object": '<tool_call>{"name": "f", "arguments": {"q": "',
    "a text in quotes of its own": '<|tool_call>call:f{q:<|"|>',
    "a parameter": "<tool_call><function=f><parameter=q>",
}


def streamed(text: str, size: int) -> None:
    stream = ToolCallStream(TOOLS)
    for piece in pieces(text, (size,)):
        stream.feed(piece)


def read(text: str) -> None:
    with suppress(LLMJsonParseError):
        read_tool_calls(text, TOOLS)


class Searched:
    """Counts the characters in which marks are looked for, at most."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any) -> None:  # noqa: ANN401 - a module
        self.characters = 0
        monkeypatch.setattr(module, "next_mark", self.next_mark)

    def next_mark(self, text: str, at: int) -> Found | None:
        found = next_mark(text, at)
        self.characters += (found.end if found else len(text)) - at
        return found

    def of(self, way: Callable[[str], None], text: str) -> int:
        self.characters = 0
        way(text)
        return self.characters


@pytest.mark.parametrize("size", [1, 16, 4_096])
@pytest.mark.parametrize("begun", BEGUN)
@pytest.mark.parametrize("unit", ["word ", "<a ", ">", "{", "<tool_call>x{", "<think>x"])
def test_a_stream_searches_each_part_of_a_text_a_few_times(
    unit: str, begun: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = Searched(monkeypatch, tool_call_stream)
    short, long = (
        searched.of(lambda text: streamed(text, size), BEGUN[begun] + unit * (length // len(unit)))
        for length in (4 * SHORT, 4 * LONG)
    )

    assert long <= MOST * short


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("way", [read, lambda text: streamed(text, 16)], ids=["whole", "in pieces"])
def test_four_times_the_text_takes_about_four_times_the_steps(unit: str, way: Callable[[str], None]) -> None:
    short, long = (steps(way, unit * (length // len(unit)) + "}") for length in (SHORT, LONG))

    assert long <= MOST * max(short, 2_000)


@pytest.mark.parametrize("unit", ["<think>x", "[THINK]x", "【思考】x"])
def test_unclosed_reasoning_is_searched_for_brackets_once(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = 0

    class Brackets:
        @staticmethod
        def search(text: str, start: int, end: int) -> int:
            nonlocal searched
            found = LISTS_TOO.search(text, start, end)
            searched += (end if found < 0 else found + 1) - start
            return found

    monkeypatch.setattr(reader, "LISTS_TOO", Brackets)
    text = unit * 2_000 + "}"
    read(text)

    assert searched <= 4 * len(text)
