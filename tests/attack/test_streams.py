"""A small sample of the attack on streams, and what its report says."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.llm_stream import StreamSnapshot
from tests.streamed import snapshots
from tests.thorough import at_length
from tools.attack import streams
from tools.attack.budget import Budget


def test_nothing_is_taken_back_of_damaged_texts() -> None:
    report = streams.attack(Budget(count=at_length(25, 1_500)), 1)
    assert (report.broken, report.shortest) == (False, {})
    assert report.counts["shown to the end"] > 0


def test_broken_promise_is_shown_with_its_shortest_text() -> None:
    report = streams.StreamReport()
    report.add("taken back", "a longer text", "$.a")
    report.add("taken back", "a text", "$.b")
    assert report.broken
    assert "'a text'" in report.text()
    assert "a longer text" not in report.text()


@pytest.mark.parametrize("text", ['{"a": 1, "b": 0, "a": 2}', '{"a": 1}</think>{"a": 2}'])
def test_what_cannot_be_foreseen_is_counted_apart(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(streams, "damaged", lambda _text, _random: text)
    report = streams.attack(Budget(count=1), 1)
    assert (report.counts["unforeseen"], report.broken) == (1, False)


def test_stream_that_goes_by_its_pieces_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_pieces(text: str, sizes: Sequence[int] = (1,)) -> list[StreamSnapshot[Any]]:
        return snapshots(text if tuple(sizes) == (1,) else "{" * len(text), sizes=sizes)

    monkeypatch.setattr(streams, "snapshots", by_pieces)
    assert streams.attack(Budget(count=3), 1).counts["cut otherwise"] > 0


def test_damage_is_of_at_most_three_places() -> None:
    text = json.dumps({"a": "x"})
    assert decode_llm_json(text).data == {"a": "x"}
    assert all(abs(len(streams.damaged(text, random)) - len(text)) <= 30 for _, random in Budget(count=50).turns(1))
