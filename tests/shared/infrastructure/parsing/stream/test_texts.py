"""The texts of a stream's pieces: each stretch of them is what the pieces say, however many there are."""

import pytest

from src.shared.infrastructure.llm_stream import Texts


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
def test_text_between_two_pieces_is_theirs(count: int) -> None:
    pieces = [str(number) * (number % 3) for number in range(count)]
    texts = Texts()
    for piece in pieces:
        texts.append(piece)
    assert texts.count == count
    for first in range(0, count + 1, 7):
        for end in range(first, count + 1, 13):
            assert texts.between(first, end) == "".join(pieces[first:end])
