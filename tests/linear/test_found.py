"""What `tools.attack hostile` found, each as the smallest text that showed it: memory in bytes, time in steps."""

from __future__ import annotations

import pytest

from src.shared.infrastructure.parsing import stages  # noqa: F401 - what is imported once is no step of a text
from tests.linear.steps import steps
from tests.thorough import at_length
from tools.attack import growth
from tools.attack.families import Family
from tools.attack.hostile import LARGE
from tools.attack.hostile_ways import WAYS

SIZE = at_length(LARGE // 8, LARGE)
LARGER = dict.fromkeys(
    ["short runs in a string of which nothing is shown", "marks of reasoning for read_tool_calls"],
    at_length(LARGE // 2, LARGE),
)
"""Bytes of a text that takes more at first, and no more beyond."""
TOOK_MEMORY = {
    "short runs between signs in a string that is streamed": ("stream by 64", Family("{“a”：“", "｝\n-\n-，", "")),
    "short runs in a string of which nothing is shown": (
        "stream by 64",
        Family("{'a': '{\"a\": \"b", '*/""【思考】\\n', ""),
    ),
    "a word of digits of another script": ("parse", Family('{""', "٣", "\n")),
    "brackets that close": ("read_tool_calls", Family("[", "]", "")),
    "strings in several quotes, one of which is not closed": (
        "parse with a trace",
        Family("{“a”：“", '\u202e```\n{&nbsp;"a": "', 'a": 1}'),
    ),
    "channels, each of which is a note": ("parse", Family("", '}# $<|channel|>final<|message|>"', "")),
    "signs beyond ASCII in a stream": ("stream by 64", Family("{'a': '\\u4e2d[", "# > ```tool_code\n\n\nNaN", "»")),
    "signs beyond ASCII behind channels": (
        "decode, finished",
        Family("", "<|tool_call|>\n}{'a': 1}// ...\n\\ud83d[{<|channel|>final<|message|>", "»"),
    ),
    "brackets that are never closed in front of an object": ("stream by 64", Family("", "\\[f(", '{"a"1}')),
    "brackets in front of a list": ("read_tool_calls, finished", Family("", "{x}", "[]")),
    "marks of calls behind an object": ("decode, finished", Family("{a1}", "<minimax:tool_call>", "")),
    "marks of reasoning for read_tool_calls": ("read_tool_calls", Family("", "<think>", "")),
}
TOOK_TIME = {
    "objects beside strings in a call": ("parse_action", Family("f(", '{"a": 1}, "x", ', ")"), 32_000, 2_000_000),
    "typographic quotes that close nothing behind marks of reasoning": (
        "parse_action, finished",
        Family("", '</think>{"a": [„', ""),
        32_000,
        500_000,
    ),
    "small damaged objects behind marks of calls": (
        "decode",
        Family("", "<|python_tag|>{a:1}", ""),
        128_000,
        2_500_000,
    ),
    "code between backticks in a string with many quotes": (
        "parse with a trace",
        Family('["a', "&nbsp;`", "", "", '"x\n- '),
        64_000,
        700_000,
    ),
    "members that are passed over once for each reading": (
        "stream by 64",
        Family("[", '"an": "sh", ', ""),
        4_033,
        800_000,
    ),
    "objects, each of which may be the beginning of all that follow": (
        "read_tool_calls, finished",
        Family("{“a", "'},{", ""),
        32_739,
        800_000,
    ),
    "marks that open reasoning, as a stream goes on": (
        "stream by 64",
        Family("", "[THINK]12", "</th"),
        131_072,
        700_000,
    ),
    "a run of quotes, three of which may close at each": (
        "parse a list, coercing",
        Family('{"a"-', "”", "\\"),
        131_072,
        300_000,
    ),
    "values in front of reasoning that is never closed": (
        "parse_action",
        Family("", "{x}", "<think>"),
        131_072,
        160_000,
    ),
    "a list that is never closed": ("decode", Family("[", "{},", ""), 120_000, 200_000),
    "tags that are never closed, as a stream goes on": (
        "stream by 8",
        Family("", "\x85<thought\t", ""),
        32_000,
        350_000,
    ),
    "signs that may begin a mark, beside which nothing is blanked": (
        "parse_action",
        Family("", "<", ""),
        131_072,
        600_000,
    ),
    "small objects in another style, one behind the other": ("parse", Family("", " : {a: 1}", ""), 32_724, 800_000),
}
"""The way of reading, the family, the bytes of the text, and the steps that it may take at most."""


@pytest.mark.parametrize("name", sorted(TOOK_MEMORY)[:: at_length(2, 1)])
def test_a_text_takes_at_most_twenty_times_its_memory(name: str) -> None:
    way, family = TOOK_MEMORY[name]
    size = LARGER.get(name, SIZE)
    growth.run(WAYS[way].read, family.text(1_000))  # what the first reading of a process keeps is no text's

    assert growth.peak(WAYS[way].read, family.text(size)) <= growth.MEMORY_PER_BYTE * size


@pytest.mark.parametrize("name", sorted(TOOK_TIME))
def test_a_text_takes_a_bounded_number_of_steps(name: str) -> None:
    way, family, length, most = TOOK_TIME[name]

    assert steps(WAYS[way].read, family.text(length)) < most
