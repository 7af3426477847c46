"""The recording of this example is what its script makes of the prompts of today."""

from pathlib import Path

import pytest

from examples.committee.record import RECORDING, record

STALE = "a prompt, the dossier or a reply has changed: run python -m examples.committee.record"


@pytest.mark.anyio
async def test_recorded_committee_is_up_to_date(tmp_path: Path) -> None:
    result = await record(tmp_path / "recording.jsonl")
    assert result.decision().action == "HOLD"
    assert (tmp_path / "recording.jsonl").read_text() == RECORDING.read_text(), STALE
