"""A short text is looked at as it comes, a long one in steps, and its end at once."""

from itertools import pairwise

import pytest

from src.shared.infrastructure.parsing.stream.prelude import FINE, PARTS, Steps
from tests.streamed import pieces


def looked_at(text: str, size: int, closers: int = 1) -> list[tuple[int, bool]]:
    """The lengths up to which a text is given, and whether a step ends there."""
    steps, given, length = Steps(), list[tuple[int, bool]](), 0
    steps.closers = closers
    for piece in pieces(text, (size,)):
        for part, is_step in ((steps.step(piece), True), (steps.rest(), False)):
            length += len(part)
            given += [(length, is_step)] if part else []
    return given


@pytest.mark.parametrize("length", [FINE - 1, FINE, 3 * FINE, 10 * FINE + 7])
@pytest.mark.parametrize("size", [2, 9, 10_000])
def test_step_is_at_most_a_part_of_the_length_however_the_text_comes(length: int, size: int) -> None:
    text = "x" * length
    steps = [at for at, is_step in looked_at(text, 1) if is_step]
    assert all(after - before <= max(1, after / PARTS) for before, after in pairwise(steps))
    assert len(steps) <= FINE + PARTS * (length // FINE).bit_length()
    assert {at for at, _ in looked_at(text, size)} <= set(steps)


@pytest.mark.parametrize("bracket", "}]｝］")
def test_bracket_that_may_be_the_last_is_given_at_once(bracket: str) -> None:
    text = "x" * (4 * FINE + 1) + bracket + "x"
    assert (len(text) - 1, False) in looked_at(text, 1)
    assert (len(text) - 1, False) not in looked_at(text, 1, closers=2)
    assert looked_at(text, len(text)) == [(4 * FINE, True), (len(text) - 1, False)]
