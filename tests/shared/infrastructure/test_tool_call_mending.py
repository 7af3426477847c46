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


def read(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = read_tool_calls(text, TOOLS)
    return [(call.name, call.arguments.model_dump(exclude_unset=True)) for call in found]


def test_place_of_a_mended_call_is_that_of_the_text_that_was_written() -> None:
    call = "<function look_up>\n<parameter=topic>\ntea\n</parameter>\n</function>"
    text = f"So:\n{call}\nDone."

    (found,) = read_tool_calls(text, TOOLS)
    assert text[slice(*found.span)] == call


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


def test_wrong_value_in_quotes_of_a_notation_is_told_by_its_name() -> None:
    with pytest.raises(LLMJsonParseError, match="limit"):
        read('<|tool_call>call:look_up{topic:<|"|>tea<|"|>,limit:<|"|>x<|"|>}<tool_call|>')
