"""An answer begins where nothing can make a draft of it any more; until then nothing is shown."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.reading.openings import BLANK_LIMIT
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from src.shared.infrastructure.parsing.stream.prelude import LEAD_LIMIT
from tests.streamed import snapshots


class Answer(BaseModel):
    a: int
    b: str = ""


BEGUN = '{"a": 1, "b": "x y'
"""What is shown of this begins with `a`."""

LEADS = {
    "nothing": "",
    "blank lines": "\n\n  ",
    "a byte order mark": "\ufeff",
    "a fence": "```json\n",
    "a fence without a tag": "```\n",
    "a fence of tildes": "~~~json\n",
    "a line that announces it": "Here is the answer:\n",
    "a line that announces it, in Chinese": "以下是分析结果：",
    "a line, and a fence": "Sure! Here is the `Answer` object you asked for:\n\n```json\n",
    "a sentence, and a fence": "I have read the report.\n```json\n",
    "reasoning": '<think>{"a": 7}</think>\n',
    "reasoning in other brackets": '[THINK]{"a": 7}[/THINK]',
    "reasoning with attributes": '<think budget="512">maybe {"a": 7}</think>',
    "reasoning in a model's own marks": '<|begin_of_thought|>{"a": 7}<|end_of_thought|>',
    "two blocks of reasoning": '<think>{"a": 7}</think><reflection>{"a": 8}</reflection>',
    "reasoning with the end of another kind": '<reasoning>{"a": 7}</think></reasoning>',
    "reasoning that nobody opened": "I think it is 7.</think>",
    "reasoning that nobody opened, with a draft": 'Perhaps {"a": 7}? No.</think>',
    "reasoning that holds nothing": "<think/>",
    "reasoning, and prose": '<think>{"a": 7}</think>The answer is ',
    "reasoning and a fence": '<think>```json\n{"a": 7}\n```</think>\n```json\n',
    "a tag around the answer": "<answer>\n",
    "a block's tag": "[CONTENT]\n",
    "a channel of harmony": "<|channel|>final<|message|>",
    "channels of harmony": '<|channel|>analysis<|message|>{"a": 7}<|end|><|start|>assistant<|channel|>final<|message|>',
    "three channels": "<|channel|>analysis<|message|>x<|channel|>commentary<|message|>{}<|channel|>final<|message|>",
    "long reasoning": f"<think>{'Now, let me see. ' * 400}</think>",
    "a comparison": "As 1 < 2 and (so) on:\n",
}
NO_LEADS = {
    "a draft in prose": "Perhaps ",
    "a heading that says draft": "Draft:\n",
    "a heading that says example": "For example:\n",
    "reasoning that is not closed": "<think>",
    "reasoning of another kind that is not closed": "<reasoning></think>",
    "a fence that says reasoning": "```thinking\n",
    "code": "```python\nx = 1\n```\n",
    "a fence after its line": "```json ",
    "a list in prose": "See [1]:\n",
    "a set in prose": "Let {x} be:\n",
    "a key in prose": '"answer": ',
    "a word that the bracket is part of": "The passage:\n```\nMy answ",
    "a key in a fence": '```json\n  "level": ',
    "a key without quotes in a fence": "```json\nlevel: ",
    "members whose bracket is missing, in a fence": '~~~json\n"level": 1, "note": "so ',
    "members whose bracket is missing": '"level": 1, "note": "so\n',
    "much white space behind a fence": f"```{' ' * (BLANK_LIMIT + 1)}\n",
    "long prose": f"{'word ' * (LEAD_LIMIT // 5)} so here it is:\n",
    "a channel that is not the final one": "<|channel|>analysis<|message|>",
    "an open bracket of a tag": "[" + "x" * 300,
}


@pytest.mark.parametrize("lead", LEADS.values(), ids=LEADS)
def test_answer_is_shown_behind(lead: str) -> None:
    shown = snapshots(lead + BEGUN, Answer)
    assert shown[-1].data == {"a": 1, "b": "x y"}
    assert {snapshot.state for snapshot in shown[: len(lead)]} <= {StreamState.WAITING}


@pytest.mark.parametrize("lead", NO_LEADS.values(), ids=NO_LEADS)
def test_nothing_is_shown_behind(lead: str) -> None:
    assert {repr(snapshot.data) for snapshot in snapshots(lead + BEGUN, Answer)} == {"None"}


@pytest.mark.parametrize("lead", [*LEADS.values(), *NO_LEADS.values()], ids=[*LEADS, *NO_LEADS])
def test_pieces_make_no_difference(lead: str) -> None:
    whole = LLMJsonStream(Answer).feed(lead + BEGUN)
    assert snapshots(lead + BEGUN, Answer)[-1] == snapshots(lead + BEGUN, Answer, (7, 2))[-1] == whole


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


@pytest.mark.parametrize(
    ("dto_type", "text", "data"),
    [
        (list[Answer], '[{"a": 1, "b": "x y', [{"a": 1, "b": "x y"}]),
        (list[Answer], '{"a": 1, "b": "x y', None),
        (Answer, '[{"a": 1, "b": "x y', None),
        (dict[str, Any], '{"z": 1, "b": "x y z', {"z": 1, "b": "x y z"}),
    ],
)
def test_root_is_the_one_that_the_type_asks_for(dto_type: AnswerType[Any], text: str, data: object) -> None:
    assert snapshots(text, dto_type)[-1].data == data
