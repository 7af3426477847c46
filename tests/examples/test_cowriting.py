"""The recording of `examples/cowriting` is what its script makes of the prompt of today."""

from pathlib import Path

import pytest

from examples.cowriting.record import HERE, record

pytestmark = pytest.mark.anyio

STALE = "the wording of a prompt or an example has changed: run python -m examples.cowriting.record"


async def test_recorded_repair_is_up_to_date(tmp_path: Path) -> None:
    draft = await record(tmp_path / "repair.jsonl")
    assert draft is not None
    assert draft.title == "末班车"
    assert (tmp_path / "repair.jsonl").read_text() == (HERE / "repair.jsonl").read_text(), STALE
