"""The texts of a stream's pieces: each stretch of them is what the pieces say, however many there are."""

from typing import Any

import pytest

from src.shared.infrastructure.llm_stream import LLMJsonStream, Pieces


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 200])
def test_text_between_two_offsets_is_that_of_the_pieces(count: int) -> None:
    texts = [str(number) * (number % 3) for number in range(count)]
    pieces = Pieces(dict[str, int], ())
    for text in texts:
        pieces.append(text)
    whole = "".join(texts)
    assert pieces.length == len(whole)
    for start in range(0, len(whole) + 1, 7):
        for end in range(start, len(whole) + 1, 13):
            assert pieces.between(start, end) == whole[start:end]


@pytest.mark.parametrize("every", [1, 3, 100])
def test_snapshot_that_is_looked_at_late_tells_what_was_certain_then(every: int) -> None:
    text = '{"a": "some words of it", "b": [1, 2, {"c": "' + "more words " * 60 + '"}]}'
    looked_at, late = LLMJsonStream(dict[str, Any]), LLMJsonStream(dict[str, Any])
    data = [looked_at.feed(char).data for char in text]
    snapshots = [late.snapshot, *(late.feed(char) for char in text)]
    for snapshot, at in [*zip(snapshots, range(len(text) + 1), strict=True)][::-every]:
        assert snapshot.data == (data[at - 1] if at else None)
