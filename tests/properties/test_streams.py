"""However a text is cut, its stream shows the same, takes nothing back of an answer, and ends as the parser does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from tests.properties.damaged_texts import any_text
from tests.properties.damages import DAMAGES
from tests.properties.json_texts import json_texts
from tests.streamed import snapshots, taken_back

LEADS = (
    "",
    "```json\n",
    "答案：\n",
    "Here is the answer:\n```json\n",
    "<think>{'a': 0}</think>\n",
    "{x} </think>```\n",
)
sizes = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@given(any_text, sizes)
def test_pieces_make_no_difference(text: str, sizes: list[int]) -> None:
    one_by_one = snapshots(text)
    at = 0
    for turn, snapshot in enumerate(snapshots(text, sizes=sizes)):
        at = min(at + sizes[turn % len(sizes)], len(text))
        assert snapshot == one_by_one[at - 1]


@given(any_text, st.sampled_from([None, True, False]))
def test_end_is_the_parsers(text: str, finished: bool | None) -> None:  # noqa: FBT001 - drawn
    def parsed() -> dict[str, Any]:
        return parse_llm_json_output(text, dict[str, Any], finished=finished)

    def streamed() -> dict[str, Any]:
        stream = LLMJsonStream(dict[str, Any])
        for piece in (text[:3], text[3:]):
            stream.feed(piece)
        return stream.close(finished=finished)

    assert outcome(streamed) == outcome(parsed)


@given(name=st.sampled_from(sorted(DAMAGES)), lead=st.sampled_from(LEADS), data=st.data())
def test_nothing_is_taken_back_of_a_damaged_answer(name: str, lead: str, data: st.DataObject) -> None:
    damage = DAMAGES[name]
    value = data.draw(damage.values)
    for text in damage.texts(value):
        assert (text, taken_back(snapshots(lead + text), value)) == (text, None)


leaves = st.sampled_from(["one two three", "x", "", 1, -2.5, True, None])
mixed = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
)
"""Values of all kinds beside each other."""


@given(st.dictionaries(st.sampled_from("efgh"), mixed, min_size=1), st.sampled_from([None, 1]))
def test_clean_answer_of_any_shape_is_shown_whole(value: dict[str, Any], indent: int | None) -> None:
    shown = snapshots(json.dumps(value, indent=indent))
    assert (shown[-1].state, repr(shown[-1].data)) == (StreamState.DONE, repr(value))
    assert taken_back(shown, value) is None


@given(json_texts(), st.sampled_from(LEADS[:-1]))
def test_valid_answer_is_shown_to_its_end(text: str, lead: str) -> None:
    shown = snapshots(lead + text)
    value = json.loads(text)
    assert taken_back(shown, value) is None
    assert shown[-1].state is StreamState.UNSURE or repr(shown[-1].data) == repr(value)


def outcome(read: Callable[[], dict[str, Any]]) -> tuple[str, object]:
    try:
        return "read", repr(read())
    except LLMJsonParseError as error:
        return error.message, error.details
