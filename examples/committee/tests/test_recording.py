"""The recording of `examples/committee` is what its script makes of the prompts of today."""

from pathlib import Path

import pytest

from examples.committee.record import DOSSIER, HERE, RECORDING, record
from examples.committee.tests.harness import invoke
from src.modules.monitoring.container import read_rates

STALE = "a prompt, the dossier or a reply has changed: run python -m examples.committee.record"


@pytest.mark.anyio
async def test_recorded_committee_is_up_to_date(tmp_path: Path) -> None:
    result = await record(tmp_path / "recording.jsonl")
    assert result.decision().action == "HOLD"
    assert (tmp_path / "recording.jsonl").read_text() == RECORDING.read_text(), STALE


def test_answers_of_a_run_are_in_the_store_when_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"
    monkeypatch.setenv("OUTPUT_STORE_URL", url)
    ended = invoke("run", str(DOSSIER), "--replay", str(RECORDING))
    assert ended.code == 0, ended.stderr
    rates = read_rates(url)
    assert sum(rate.texts.parses for rate in rates.by_agent()) == len([*(HERE / "replies").iterdir()])
    assert rates.facts().dropped == 0
