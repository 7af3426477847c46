"""Of a damaged text is shown what has one reading only; where another one is possible, the stream waits."""

from __future__ import annotations

from typing import Any

import pytest

from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from src.shared.infrastructure.parsing.stream.tree import MAX_DEPTH
from tests.streamed import snapshots, taken_back


@pytest.mark.parametrize("fence", ["```", "~~~"])
@pytest.mark.parametrize("bracket", ["}", "｝"])
def test_bracket_and_a_fence_may_end_the_object_of_a_string_that_was_not_closed(bracket: str, fence: str) -> None:
    text = f'{fence}json\n{{\n"a": "2024 so far\n{bracket}\n{fence}'
    assert [snapshot.data for snapshot in snapshots(text + " and more")][-1] == {"a": "2024 so far"}


def test_nothing_is_taken_back_of_a_string_that_a_bracket_and_a_fence_end() -> None:
    text = '~~~json\n｛\n"note"： "x"，\n"key points"： "as in 2024\n｝\n~~~'
    assert taken_back(snapshots(text), decode_llm_json(text, finished=True).data) is None


@pytest.mark.parametrize("indent", ["", "  ", "\t"])
def test_indentation_of_a_clean_text_stops_nothing(indent: str) -> None:
    lines = ("{", '"a": {', '"b": {', '"c": 1', "},", '"d": [', "{", '"e": 2', "}", "]", "},", '"f": 3', "}")
    depths = (0, 1, 2, 3, 2, 2, 3, 4, 3, 2, 1, 1, 0)
    text = "\n".join(indent * depth + line for depth, line in zip(depths, lines, strict=True))
    assert LLMJsonStream(dict[str, Any]).feed(text).state is StreamState.DONE


@pytest.mark.parametrize(("depth", "state"), [(MAX_DEPTH, StreamState.DONE), (MAX_DEPTH + 1, StreamState.UNSURE)])
def test_depth_is_bounded(depth: int, state: StreamState) -> None:
    text = '{"a":' * (depth - 1) + '{"a": 1}' + "}" * (depth - 1)
    assert LLMJsonStream(dict[str, Any]).feed(text).state is state


def test_text_behind_the_value_changes_nothing() -> None:
    stream = LLMJsonStream(dict[str, Any])
    done = stream.feed('{"a": 1}')
    assert done == stream.feed("\n```\nI hope that helps.")
    assert stream.snapshot.changed == ()
