"""An answer begins where nothing can make a draft of it any more; until then nothing is shown."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from src.shared.domain.reading.openings import BLANK_LIMIT
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from src.shared.infrastructure.parsing.stream.prelude import LEAD_LIMIT
from tests.streamed import snapshots


class Answer(BaseModel):
    a: int
    b: str = ""


BEGUN = '{"a": 1, "b": "x y'
"""What is shown of this begins with `a`."""

LONG_REASONING = f"<think>{'Now, let me see. ' * 400}</think>"
NO_LEADS = {
    "much white space behind a fence": f"```{' ' * (BLANK_LIMIT + 1)}\n",
    "long prose": f"{'word ' * (LEAD_LIMIT // 5)} so here it is:\n",
}


def test_answer_is_shown_behind_long_reasoning() -> None:
    shown = snapshots(LONG_REASONING + BEGUN, Answer)
    assert shown[-1].data == {"a": 1, "b": "x y"}
    assert {snapshot.state for snapshot in shown[: len(LONG_REASONING)]} <= {StreamState.WAITING}


@pytest.mark.parametrize("lead", NO_LEADS.values(), ids=NO_LEADS)
def test_nothing_is_shown_behind(lead: str) -> None:
    assert {repr(snapshot.data) for snapshot in snapshots(lead + BEGUN, Answer)} == {"None"}


@pytest.mark.parametrize(("blanks", "state"), [(BLANK_LIMIT, StreamState.DONE), (BLANK_LIMIT + 1, StreamState.UNSURE)])
@pytest.mark.parametrize("sign", [" ", "\t", "\n"])
def test_white_space_behind_a_bracket_is_bounded(blanks: int, state: StreamState, sign: str) -> None:
    text = "{" + sign * blanks + '"a": 1\n}'
    assert {stream[-1].state for stream in (snapshots(text, Answer), snapshots(text, Answer, (2_000,)))} == {state}


def test_object_without_the_types_fields_is_not_shown() -> None:
    shown = snapshots('{"thought": "Let me see", "x": 1', Answer)
    assert {(repr(snapshot.data), snapshot.state) for snapshot in shown[1:]} == {("None", StreamState.WAITING)}
    assert LLMJsonStream(Answer).feed('{"x": 1}').state is StreamState.UNSURE


def test_object_is_shown_from_the_first_of_the_types_fields_on() -> None:
    stream = LLMJsonStream(Answer)
    stream.feed('{"x": 1, "y": [2')
    assert stream.snapshot.data is None
    snapshot = stream.feed('], "a": 3}')
    assert snapshot.data == {"x": 1, "y": [2], "a": 3}
    assert set(snapshot.changed) == {"$.x", "$.y", "$.y[0]", "$.a", "$"}
