"""The recordings of `examples/ask` are what its script makes of the prompts of today."""

from pathlib import Path

import pytest

from examples.ask.record import HERE, record_repair, record_verdict

pytestmark = pytest.mark.anyio

STALE = "the wording of a prompt has changed: run python -m examples.ask.record"


async def test_recorded_verdict_is_up_to_date(tmp_path: Path) -> None:
    await record_verdict(tmp_path / "verdict.jsonl")
    assert (tmp_path / "verdict.jsonl").read_text() == (HERE / "verdict.jsonl").read_text(), STALE


async def test_recorded_repair_is_up_to_date(tmp_path: Path) -> None:
    await record_repair(tmp_path / "repair.jsonl")
    assert (tmp_path / "repair.jsonl").read_text() == (HERE / "repair.jsonl").read_text(), STALE
