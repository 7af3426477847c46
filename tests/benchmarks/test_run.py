"""The command writes the page, with whatever libraries are there."""

from pathlib import Path

import pytest

from tests.thorough import THOROUGH_ONLY
from tools.benchmarks.conditions import conditions
from tools.benchmarks.environment import present
from tools.benchmarks.guard import BASELINE
from tools.benchmarks.peers import PEERS
from tools.benchmarks.run import main
from tools.benchmarks.timing import Plan

pytestmark = THOROUGH_ONLY


def test_the_command_writes_a_page_and_names_what_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Small on purpose: the page's form is tested, no time in it."""
    ours = tuple(peer for peer in present() if peer.name in ("ours", BASELINE))
    monkeypatch.setattr("tools.benchmarks.environment.present", lambda: ours)
    monkeypatch.setattr("tools.benchmarks.run._QUICK", Plan(rounds=1, budget=1.0, enough=0.0))
    monkeypatch.setattr("tools.benchmarks.clean_rows.check", lambda: 0)

    stored = tmp_path / "stored.json"
    options = ["--quick", "--sizes", "2", "--parts", "times", "--output", str(tmp_path), "--stored", str(stored)]
    assert main(options) == 0
    assert stored.is_file()

    page = (tmp_path / "benchmarks.md").read_text("utf-8")
    assert all(f"| {one.name} |" in page for one in conditions() if not one.name.endswith(" in 3 places"))
    absent = {peer.name for peer in PEERS} - {peer.name for peer in ours}
    assert absent == {
        line.removeprefix("absent: ") for line in capsys.readouterr().out.splitlines() if "absent" in line
    }
