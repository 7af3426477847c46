"""Clean rows have limits of their own: they are measured beside what has to be done in any case."""

from __future__ import annotations

import json
from itertools import count

import pytest

from src.shared.domain.reading.reading import UNREAD
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.target_type import target_type
from tools.benchmarks import clean_rows
from tools.benchmarks.clean_rows import KINDS, MOST, MOST_ADDED, Clean, check, measure, text_of
from tools.benchmarks.documents import KB

ROW = Clean(20 * KB, "both", "parse")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("indent", [None, 2])
def test_clean_rows_are_read_at_once(kind: str, indent: int | None) -> None:
    text = json.dumps(json.loads(text_of(kind, 2 * KB)), indent=indent, ensure_ascii=False)

    assert len(text) >= 2 * KB
    assert validate_directly(text, target_type(KINDS[kind][0])) is not UNREAD


@pytest.mark.parametrize("kind", KINDS)
def test_each_way_is_measured_beside_what_it_is_compared_with(kind: str) -> None:
    found = measure(200, kind)

    assert [row.way for row in found] == [*MOST]
    assert all(ours > 0 and base > 0 for ours, base in found.values())


def test_limit_is_a_multiple_and_what_is_done_once() -> None:
    limit = MOST["parse"] * 1e-3 + MOST_ADDED

    assert ROW.is_within(limit, 1e-3)
    assert not ROW.is_within(limit * 1.001, 1e-3)


def test_what_seems_too_slow_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = iter([(2.0, 1.0), (1.1, 1.0), *[(1.0, 1.0)] * 5])
    monkeypatch.setattr(clean_rows, "measure", lambda size, kind: {Clean(size, kind, "parse"): next(taken)})
    said: list[str] = []

    assert check([2 * KB], said.append) == 0
    assert said[0] == "clean 2 KB of numbers, parse: × 1.10"


def test_what_stays_too_slow_is_counted_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    times = count(3)
    monkeypatch.setattr(clean_rows, "measure", lambda size, kind: {Clean(size, kind, "decode"): (next(times), 1.0)})
    said: list[str] = []

    assert check([2 * KB], said.append) == len(KINDS)
    assert said[0] == "clean 2 KB of numbers, decode: × 3.00, above the limit of 1.6"
