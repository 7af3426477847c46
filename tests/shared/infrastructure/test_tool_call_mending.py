"""Damaged marks of calls: read where one reading is left, with the places of the text as it was; else refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.edits import Edit
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_call_forms.mending import LONGEST, MOST_EDITS, damaged_marks, read_mended
from src.shared.infrastructure.tool_calls import read_tool_calls
from tools.attack.growth import slowness


class Search(BaseModel):
    topic: str
    limit: int = 5


class Bash(BaseModel):
    command: str


TOOLS: dict[str, type[BaseModel]] = {"look_up": Search, "bash": Bash}
NAMES, KEYS = frozenset(TOOLS), frozenset({"topic", "limit", "command"})


KIMI = (
    '<|open|>call tool="look_up"<|sep|><|open|>argument key="topic" type="string"<|sep|>tea<|close|>argument<|sep|>'
    "<|close|>call<|sep|>"
)


def read(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = read_tool_calls(text, TOOLS)
    return [(call.name, call.arguments.model_dump(exclude_unset=True)) for call in found]


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>look_up\n<arg_keytopic</arg_key>\n<arg_value>tea</arg_value>\n</tool_call>",
        "<tool_call>look_up\n<arg_key>topic\n<arg_value>tea</arg_value>\n</tool_call>",
        "<tool_call>look_up\n<arg_key>topic</arg_key>\n<arg_value><arg_value>tea</arg_value>\n</tool_call>",
        "<tool_call>look_up\n<arg_key>topic</arg_key>\n<arg_value>tea</arg_value></arg_value>\n</tool_call>",
        "look_up\n<arg_key>topic</arg_key>\n<arg_value>tea</arg_value>\n</tool_call>",
        "tool_call>look_up\n<arg_key>topic</arg_key>\n<arg_value>tea</arg_value>\n</tool_call",
        "<tool_call>\n<function look_up>\n<parameter=topic\ntea\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>\nfunction=look_up>\n<parameter=topic>\ntea\n/parameter>\n</function>\n</tool_call>",
        "<function_calls>\n<invoke look_up>\n<parameter topic>tea</parameter>\n</invoke>\n</function_calls>",
        "<|DSML|invoke name='look_up'><|DSML|parameter name='topic' string='true'>tea</|DSML|parameter>/|DSML|invoke>",
        '<|tool_call>call:look_up{topic:|"|>tea<|"|>}<tool_call|>',
        '<｜tool▁calls▁begin｜>function<｜tool▁sep｜>look_up\n{"topic": "tea"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        '[TOOL_CALLSlook_up[ARGS]{"topic": "tea"}</s>',
        'commentary to=functions.look_up <|constrain|>json<|message|>{"topic": "tea"}<|call|>',
        '<|channel|>commentary to=functions.look_up <|constrain|>json{"topic": "tea"}<|call|>',
        '|channel|>commentary to=functions.look_up <|constrain|>json<|message|>{"topic": "tea"}<|call|>',
        KIMI.replace("<|open|>call", "call"),
        KIMI.replace("<|sep|>tea", "<|sep|><|sep|>tea"),
        '{tool => "look_up", args => {--topic "tea"}}',
        '<|tool_callcall:look_up{topic:<|"|>tea<|"|>}',
        '<tool_call{"name": "look_up", "arguments": {"topic": "tea"}}</tool_call>',
    ],
)
def test_damaged_mark_is_read_where_one_reading_is_left(text: str) -> None:
    assert read(text) == [("look_up", {"topic": "tea"})]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<tool_call>\n<parameter=topic>\ntea\n</parameter>\n</function>\n</tool_call>", "no call that can be read"),
        ("<function=look_up>\ntea\n</parameter>\n</function>", "neither a parameter nor the end"),
        ("<function=look_up>\n<parameter=topic>\ntea\n\n</function></tool_call>", "can be read in two ways"),
        ("tool_call>look_up<arg_key>a</arg_key>", "no call that can be read"),
        ('The look_up(topic="tea', "no call that can be read"),
        ('look_up("tea")', "no call that can be read"),
    ],
)
def test_damage_that_leaves_none_or_several_is_refused(text: str, reason: str) -> None:
    with pytest.raises(LLMJsonParseError, match=reason):
        read(text)


def test_mark_in_a_value_is_not_mended() -> None:
    value = "the </parameter b and tool_call> c"
    text = f"<tool_call>\n<function look_up>\n<parameter=topic>\n{value}\n</parameter>\n/function>\n</tool_call>"

    assert read(text) == [("look_up", {"topic": value})]


def test_place_of_a_mended_call_is_that_of_the_text_that_was_written() -> None:
    call = "<function look_up>\n<parameter=topic>\ntea\n</parameter>\n</function>"
    text = f"So:\n{call}\nDone."

    (found,) = read_tool_calls(text, TOOLS)
    assert text[slice(*found.span)] == call


def test_call_before_the_damaged_one_stays_what_it_is() -> None:
    first = '<function=bash>{"command": "use <tool_call here"}</function>'
    second = "<tool_call>look_up\n<arg_key>topic\n<arg_value>tea</arg_value>\n</tool_call>"

    assert read(first + second) == [("bash", {"command": "use <tool_call here"}), ("look_up", {"topic": "tea"})]


def test_mark_without_a_damage_is_none() -> None:
    text = (
        "<tool_call>\n<function=look_up>\n<parameter=topic>\ntea\n</parameter>\n</function>\n</tool_call><tool_calls>"
    )

    assert damaged_marks(text, NAMES, KEYS, 0) == []


def test_word_of_a_mark_is_none_without_a_sign_of_it() -> None:
    assert damaged_marks("the function look_up, its parameter topic", NAMES, KEYS, 0) == []


@pytest.mark.parametrize(("count", "found"), [(MOST_EDITS, MOST_EDITS), (MOST_EDITS + 1, 0)])
def test_so_many_damaged_marks_are_looked_at(count: int, found: int) -> None:
    assert len(damaged_marks("</tool_call x " * count, NAMES, KEYS, 0)) == found


@pytest.mark.parametrize(("length", "found"), [(LONGEST, 1), (LONGEST + 1, 0)])
def test_text_of_so_many_characters_is_mended(length: int, found: int) -> None:
    assert len(damaged_marks("</tool_call".ljust(length), NAMES, KEYS, 0)) == found


@pytest.mark.parametrize("text", ["</tool_call" + " " * LONGEST, "<|tool_call:ne|>" + "nae" * LONGEST])
def test_marks_are_looked_for_in_time_that_grows_with_the_text(text: str) -> None:
    """Once a search began at each blank, or at each letter of a word, and went to its end: half a minute."""
    start = time.process_time()
    damaged_marks(text[:LONGEST], NAMES, KEYS, 0)

    assert time.process_time() - start < 3 * slowness()


def test_mended_text_without_a_call_is_no_reading() -> None:
    assert read_mended("a", [Edit(0, 1, "b")], lambda _: ()) is None


def test_tool_code_ends_with_its_fence() -> None:
    assert read('```tool_code\nlook_up(topic="tea")\n```\nI wait.') == [("look_up", {"topic": "tea"})]


def test_call_of_python_whose_opening_mark_ended_the_prompt() -> None:
    assert read('look_up(topic="tea")</function_calls>') == [("look_up", {"topic": "tea"})]


def test_call_of_python_in_a_sentence_is_spoken_of() -> None:
    assert read('I would write look_up(topic="tea") to find it.') == []


def test_next_call_ends_a_call_whose_own_mark_is_missing() -> None:
    first = "<tool_call>look_up<arg_key>topic</arg_key><arg_value>tea</arg_value>"
    second = "<tool_call>bash<arg_key>command</arg_key><arg_value>ls</arg_value></tool_call>"

    assert read(first + second) == [("look_up", {"topic": "tea"}), ("bash", {"command": "ls"})]


def test_mark_that_stands_there_many_times_counts_once() -> None:
    text = "<|start|>" * 3 + '<|channel|>commentary to=functions.look_up<|message|>{"topic": "tea"}<|call|>'

    assert read(text) == [("look_up", {"topic": "tea"})]


def test_shape_of_a_call_in_code_is_spoken_of() -> None:
    assert read('Write `look_up{"topic": 1}` for it.') == []


def test_object_that_cannot_be_read_and_calls_no_tool_that_there_is_is_an_answer() -> None:
    assert read('{"name": "other", "arguments": [}') == []


def test_wrong_value_in_quotes_of_a_notation_is_told_by_its_name() -> None:
    with pytest.raises(LLMJsonParseError, match="limit"):
        read('<|tool_call>call:look_up{topic:<|"|>tea<|"|>,limit:<|"|>x<|"|>}<tool_call|>')
