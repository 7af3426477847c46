"""Twice the text costs a stream about twice as much: what is looked at again and what is copied are counted."""

from __future__ import annotations

from typing import Any

import pytest

from src.shared.domain.reading.fed import Fed
from src.shared.domain.reading.machine import Machine
from src.shared.domain.reasoning import draft_marks
from src.shared.infrastructure.parsing.stream import prelude
from src.shared.infrastructure.parsing.stream.answer import AnswerReader
from tests.linear.of_one_thing import FAMILIES
from tests.streamed import pieces
from tests.thorough import at_length

SIZES = (8_000, 16_000, 32_000)
MOST_PER_DOUBLING = 2.6
MOST_PER_CHARACTER = 6_000
"""Characters of the text, or values, that are looked at again or copied for each character of it."""
CHUNKS = at_length((8,), (1, 8, 64))
STREAMED = FAMILIES["streamed"]


def steps(text: str, chunk: int) -> int:
    """Characters that are kept to be looked at again, and those and the values that are copied, for all pieces."""
    reader = AnswerReader(frozenset({"object", "array"}), frozenset())
    looked_at: list[int] = []
    look = Fed._look  # noqa: SLF001 - what is counted

    def counted(self: Fed, m: Machine) -> None:
        looked_at.append(len(m.text) - m.at)
        look(self, m)

    Fed._look = counted  # type: ignore[method-assign]  # noqa: SLF001 - as above
    try:
        return _steps(text, chunk, reader) + sum(looked_at)
    finally:
        Fed._look = look  # type: ignore[method-assign]  # noqa: SLF001 - as above


def _steps(text: str, chunk: int, reader: AnswerReader) -> int:
    count, shown = 0, None
    for piece in pieces(text, (chunk,)):
        data = reader.feed(piece).data
        kept = reader._prelude._text if reader._prelude else ""  # noqa: SLF001 - what is counted
        count += len(piece) + len(kept)
        if data is not shown:
            shown = data
            count += size_of_copy(shown)
    return count


def size_of_copy(data: Any) -> int:  # noqa: ANN401 - decoded JSON
    """How much of the data is at its end, and may be open."""
    size = 0
    while isinstance(data, dict | list | str) and data:
        size += len(data)
        data = None if isinstance(data, str) else data[-1] if isinstance(data, list) else next(reversed(data.values()))
    return size


def text_of(family: tuple[str, str, str], size: int) -> str:
    head, body, tail = family
    return head + body * ((size - len(head) - len(tail)) // len(body)) + tail


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("name", sorted(STREAMED))
def test_twice_the_text_takes_a_stream_about_twice_the_work(name: str, chunk: int) -> None:
    small, medium, large = (steps(text_of(STREAMED[name], size), chunk) for size in SIZES)

    assert min(medium / small, large / medium) <= MOST_PER_DOUBLING
    assert large <= MOST_PER_CHARACTER * SIZES[-1]


def test_many_keys_take_a_stream_work_in_proportion() -> None:
    small, medium, large = (
        steps("{" + "".join(f'"k{at}": {at}, ' for at in range(size)), 8) for size in (2_000, 4_000, 8_000)
    )

    assert min(medium / small, large / medium) <= MOST_PER_DOUBLING


def test_one_piece_with_many_marks_is_taken_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    marks = draft_marks

    def counted(text: str, family: str = "") -> Any:  # noqa: ANN401 - an iterator
        looked_at.append(len(text))
        return marks(text, family)

    monkeypatch.setattr(prelude, "draft_marks", counted)
    counts = []
    for size in SIZES:
        looked_at.clear()
        AnswerReader(frozenset({"object"}), frozenset()).feed(text_of(("", "<think>x</think>", ""), size))
        counts.append(sum(looked_at))
    assert counts[2] <= MOST_PER_DOUBLING * counts[1]
