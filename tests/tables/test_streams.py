"""What a stream shows of a text that is still written, however it comes, and that nothing of it is taken back."""

import json
from contextlib import suppress
from itertools import accumulate
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from tests.streamed import pieces, snapshots, taken_back
from tests.tables.rows import Row, table, texts_of
from tests.tables.test_tables import rows_of
from tests.tables.types import type_of

SIZES = ((3, 1, 5), (2,), (7,))


@pytest.mark.parametrize("row", rows_of(table("streams")))
def test_stream_shows(row: Row) -> None:
    for text, _ in texts_of(row):
        check_stream(row, text)


def check_stream(row: Row, text: str) -> None:
    wanted, options = type_of(row.get("type", "dict[str, Any]")), row.get("options")
    one_by_one = snapshots(text, wanted)
    last = one_by_one[-1]
    assert (last.state.value, json.dumps(last.data)) == (row["state"], json.dumps(json.loads(row.get("shown", "null"))))
    assert "shown" in row or {repr(snapshot.data) for snapshot in one_by_one} == {"None"}
    if "begins" in row:
        before = one_by_one[: text.rindex(row["begins"])]
        assert {snapshot.state for snapshot in before} <= {StreamState.WAITING}
    for sizes in SIZES:
        ends = accumulate(map(len, pieces(text, sizes)))
        assert snapshots(text, wanted, sizes) == [one_by_one[end - 1] for end in ends]
    stream: LLMJsonStream[Any] = LLMJsonStream(wanted)
    assert stream.feed(text) == last
    with suppress(*([] if options else [LLMJsonParseError])):
        stream.close(**(options or {}))
        assert taken_back(one_by_one, stream.snapshot.data) == row.get("taken_back")
