"""How a text is cut into pieces changes nothing of its snapshots."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.infrastructure.llm_stream import LLMJsonStream


class Anything(BaseModel):
    """Any object."""

    model_config = ConfigDict(extra="allow")


TEXTS = {
    "a key is cut behind its indent": '{\n  "rows": [\n    {"a": 1}\n  ],\n  "findings": [\n    2\n  ]\n}',
    "a string is cut behind a blank": '{"thoughts": "To write a text", "plan": "- Use it"}',
}


def snapshots(text: str, size: int) -> dict[int, tuple[Any, str, list[str]]]:
    """What is known at each offset where a piece ends."""
    stream = LLMJsonStream(Anything)
    told: dict[int, tuple[Any, str, list[str]]] = {}
    for at in range(0, len(text), size):
        snapshot = stream.feed(text[at : at + size])
        told[len(stream.text)] = (snapshot.data, snapshot.state, sorted(snapshot.complete))
    return told


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_pieces_of_every_length_give_the_same_snapshots_at_the_same_offsets(text: str) -> None:
    one_by_one = snapshots(text, 1)
    for size in range(2, len(text) + 1):
        assert [at for at, told in snapshots(text, size).items() if told != one_by_one[at]] == []


def test_pieces_nobody_looked_at_change_nothing_of_the_next_snapshot() -> None:
    text = TEXTS["a key is cut behind its indent"]
    looked, unlooked = LLMJsonStream(Anything), LLMJsonStream(Anything)
    for char in text[:-5]:
        last, other = looked.feed(char), unlooked.feed(char)
        assert last.state
    assert (other, other.changed) == (last, last.changed)
