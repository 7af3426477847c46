"""What a stream shows of a text that is still written, however it comes, and that nothing of it is taken back."""

import json
from contextlib import suppress
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from tests.streamed import pieces, snapshots, taken_back
from tests.tables.rows import Row, table
from tests.tables.test_tables import rows_of
from tests.tables.types import type_of

SIZES = (3, 1, 5)


@pytest.mark.parametrize("row", rows_of(table("streams")))
def test_stream_shows(row: Row) -> None:
    text, wanted = row["text"], type_of(row.get("type", "dict[str, Any]"))
    one_by_one = snapshots(text, wanted)
    last = one_by_one[-1]
    assert (last.state.value, json.dumps(last.data)) == (row["state"], json.dumps(json.loads(row.get("shown", "null"))))
    assert "shown" in row or {repr(snapshot.data) for snapshot in one_by_one} == {"None"}
    if "begins" in row:
        before = one_by_one[: text.rindex(row["begins"])]
        assert {snapshot.state for snapshot in before} <= {StreamState.WAITING}
    at = 0
    for piece, snapshot in zip(pieces(text, SIZES), snapshots(text, wanted, SIZES), strict=True):
        at += len(piece)
        assert snapshot == one_by_one[at - 1]
    stream: LLMJsonStream[Any] = LLMJsonStream(wanted)
    assert stream.feed(text) == last
    with suppress(LLMJsonParseError):
        stream.close()
        assert taken_back(one_by_one, stream.snapshot.data) == row.get("taken_back")
