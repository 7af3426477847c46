"""`SettledJson`: what is written is the beginning of the JSON, in the text's own characters while it is clean."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from src.entrypoints.gateway.settled_json import SettledJson
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_stream import LLMJsonStream

SCALARS = st.none() | st.booleans() | st.integers(-9, 10**20) | st.floats(-1e9, 1e9) | st.text(max_size=12)
VALUES = st.dictionaries(
    st.text(max_size=4),
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner), max_leaves=9
    ),
    max_size=4,
)


def written(text: str, sizes: list[int]) -> tuple[SettledJson, LLMJsonStream[Any], list[str]]:
    """A text in pieces, and what was written after each."""
    settled, stream, steps, at = SettledJson(), LLMJsonStream(dict[str, Any]), [], 0
    for size in [*sizes, len(text)]:
        piece, at = text[at : at + size], at + size
        snapshot = stream.feed(piece)
        if settled.feed(piece):
            settled.write(snapshot.data, snapshot.complete)
        steps.append(settled.text)
    return settled, stream, steps


@given(VALUES, st.booleans(), st.sampled_from([None, 1]), st.lists(st.integers(0, 9), max_size=12))
def test_clean_text_is_written_in_its_own_characters(
    value: dict[str, Any], ascii_: object, indent: int | None, sizes: list[int]
) -> None:
    text = json.dumps(value, ensure_ascii=bool(ascii_), indent=indent)
    settled, _, steps = written(text, sizes)
    assert all(text.startswith(step) for step in steps)
    settled.write(json.loads(text))
    assert settled.text == text
    assert settled.is_own


@given(VALUES, st.lists(st.integers(0, 9), max_size=12), st.sampled_from(["trailing", "prose", "single"]))
def test_of_damaged_text_a_beginning_of_its_value_is_written(value: dict[str, Any], sizes: list[int], way: str) -> None:
    text = json.dumps(value)
    damaged = {
        "trailing": text.replace("}", ",}") if value else text,
        "prose": f"Here it is: {text}",
        "single": repr(value),
    }[way]
    settled, stream, steps = written(damaged, sizes)
    assert all(after.startswith(before) for before, after in pairwise(steps))
    try:
        read = stream.close(finished=True)
    except LLMJsonParseError:
        return  # what the parser refuses is of no matter here
    settled.write(read)
    assert settled.text.startswith(steps[-1])
    assert json.loads(settled.text) == json.loads(json.dumps(read))


def test_a_value_that_is_not_what_was_shown_is_not_hidden() -> None:
    settled = SettledJson()
    settled.feed('{"a": 1')
    settled.write({"a": 1}, {"$.a"})
    settled.write({"b": 2})
    assert settled.text == '{"a": 1}'


def test_an_escape_in_another_writing_is_no_matter_and_a_half_of_a_pair_is_not_the_texts_own() -> None:
    settled = SettledJson()
    settled.feed('{"a": "\\u00e9\\n\\ud83d\\ude00')
    settled.write({"a": "\u00e9\n\U0001f600"}, set())
    assert (settled.text, settled.is_own) == ('{"a": "\\u00e9\\n\\ud83d\\ude00', True)
    settled.feed("'x")
    settled.write({"a": "\u00e9\n\U0001f600'z"}, set())
    assert not settled.is_own
