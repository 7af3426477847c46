"""`SettledJson`: what is written is the beginning of the JSON, in the text's own characters while it is clean."""

from __future__ import annotations

import json
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.entrypoints.gateway.settled_text import SettledJson
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output

SCALARS = st.none() | st.booleans() | st.integers(-9, 10**20) | st.floats(-1e9, 1e9) | st.text(max_size=12)
VALUES = st.dictionaries(
    st.text(max_size=4),
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner), max_leaves=9
    ),
    max_size=4,
)


class Written:
    """What is written of a text that comes in pieces.

    Attributes:
        settled: what writes it.
        text: what has come.
        steps: what was written after each piece.
    """

    def __init__(self, text: str, sizes: list[int]) -> None:
        self.settled, self.text, self.steps = SettledJson(dict[str, Any]), StringIO(), list[str]()
        at = 0
        for size in [*sizes, len(text)]:
            self.feed(text[at : at + size])
            at += size

    def feed(self, piece: str) -> None:
        self.text.write(piece)
        reading = self.settled.feed(piece, self.text)
        own = self.text.getvalue()[: self.settled.own]
        self.steps.append(own if self.settled.is_own else (reading and reading.content) or self.steps[-1])

    def whole(self, value: object) -> str:
        return self.settled.whole(json.dumps(value), self.text)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]), st.lists(st.integers(0, 9), max_size=12))
def test_clean_text_is_written_in_its_own_characters(
    value: dict[str, Any], ascii_: object, indent: int | None, sizes: list[int]
) -> None:
    text = json.dumps(value, ensure_ascii=bool(ascii_), indent=indent)
    written = Written(text, sizes)
    assert all(text.startswith(step) for step in written.steps)
    assert written.settled.is_own
    whole = written.whole(json.loads(text))
    assert whole.startswith(written.steps[-1])
    assert json.loads(whole) == json.loads(text)


@given(VALUES, st.lists(st.integers(0, 9), max_size=12), st.sampled_from(["trailing", "prose", "single"]))
def test_of_damaged_text_a_beginning_of_its_value_is_written(value: dict[str, Any], sizes: list[int], way: str) -> None:
    text = json.dumps(value)
    damaged = {
        "trailing": text.replace("}", ",}") if value else text,
        "prose": f"Here it is: {text}",
        "single": repr(value),
    }[way]
    written = Written(damaged, sizes)
    assert all(after.startswith(before) for before, after in pairwise(written.steps))
    try:
        read = parse_llm_json_output(damaged, dict[str, Any], finished=True)
    except LLMJsonParseError:
        return  # what the parser refuses is of no matter here
    whole = written.whole(read)
    assert whole.startswith(written.steps[-1])
    assert json.loads(whole) == json.loads(json.dumps(read))


def test_a_long_text_is_written_while_it_comes() -> None:
    text = json.dumps({"rows": [{"title": f"row {at}", "text": "word " * 40} for at in range(60)]})
    for damaged in (text, f"```json\n{text}\n```", text.replace('"title"', "title")):
        written = Written(damaged, [7] * (len(damaged) // 7))
        assert len(written.steps[len(written.steps) // 2]) > len(text) * 0.4


def test_a_value_that_is_not_what_was_shown_is_not_hidden() -> None:
    written = Written('{"a": 1, "b": ', [])
    assert written.steps[-1] == '{"a": 1'
    assert written.whole({"b": 2}) == ""


def test_an_escape_in_another_writing_is_no_matter_and_what_no_json_has_is_not_the_texts_own() -> None:
    text = '{"a": "\\u00e9\\n\\ud83d\\ude00 \\/ x'
    written = Written(text, [])
    assert (written.steps[-1], written.settled.is_own) == (text, True)
    written.feed(" a\tb, and more")
    assert not written.settled.is_own


@pytest.mark.parametrize("number", ["-0", "1.50", "12345678901234567890", "1e-7", "1e16"])
def test_a_number_may_be_written_in_any_way(number: str) -> None:
    text = f'{{"a": {number}, "b": "c"'
    written = Written(text, [])
    assert written.settled.is_own
    assert text.startswith(written.steps[-1])


def test_a_number_that_json_does_not_have_is_never_written() -> None:
    assert Written('{"a": 1, "b": 1e400, "c": 2, "d": ', []).steps[-1] == ""
    assert Written("{'a': 1, 'b': NaN, 'c': 2, 'd': ", []).steps[-1] in {"", '{"a":1'}
