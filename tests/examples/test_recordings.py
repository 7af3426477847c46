"""The recordings of `examples/ask` and `examples/cowriting` are what their script makes of the prompts of today."""

import asyncio
from pathlib import Path

import pytest

from examples.recordings import RECORDED


@pytest.mark.parametrize("recording", RECORDED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_recording_is_up_to_date(recording: Path, tmp_path: Path) -> None:
    asyncio.run(RECORDED[recording](tmp_path / recording.name))
    stale = "the wording of a prompt or an example has changed: run python -m examples.recordings"
    assert (tmp_path / recording.name).read_text() == recording.read_text(), stale
