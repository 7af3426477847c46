"""`llm-output demo`, and the recordings it replays; its transcript has the table."""

import pytest
from rich.cells import cell_len

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.commands import demo
from src.entrypoints.cli.recorded import PACKAGED, packaged
from tests.entrypoints.cli.harness import RECORDINGS, invoke


def test_every_recording_comes_out_as_the_manifest_says() -> None:
    assert invoke("check", str(PACKAGED)).stdout == f"{4 * len(AGENTS)} recordings: all as recorded.\n"


def test_each_agent_has_every_case_and_is_read_as_itself() -> None:
    cases = [f"{case}.txt" for case in ("clean", "wrapped", "damaged", "refused")]

    assert {folder.name for folder in RECORDINGS.iterdir()} == set(AGENTS)
    for agent, manifest in packaged().items():
        assert (manifest.agent, [recording.file for recording in manifest.recordings]) == (agent, cases)


def test_table_shows_each_agent_fits_the_terminal_and_a_pipe_gets_neither_colours_nor_blanks_at_line_ends() -> None:
    ended = invoke("demo", columns=80)
    lines = ended.stdout.splitlines()

    assert max(map(cell_len, lines)) <= 80
    assert not any("…" in line or "\x1b" in line or line.endswith(" ") for line in lines)
    count = len(AGENTS)
    assert f"{4 * count} recordings: {3 * count} parsed, {count} refused; all as recorded." in ended.stdout


@pytest.mark.parametrize(
    ("case", "outcome", "line"),
    [
        ("clean", {"refused": "validate"}, "verdict/clean.txt: recorded as refused at validate; now read"),
        ("refused", {"value": {}}, "verdict/refused.txt: recorded as read; now refused at validate"),
        ("clean", {"value": {"action": "SELL"}}, '$.action recorded as "SELL", now "BUY"'),
    ],
)
def test_recording_that_comes_out_otherwise_fails_the_demo(
    monkeypatch: pytest.MonkeyPatch, case: str, outcome: dict[str, object], line: str
) -> None:
    manifest = packaged()["verdict"]
    (one,) = [recording for recording in manifest.recordings if recording.file == f"{case}.txt"]
    changed = manifest.model_copy(update={"recordings": (one.outcome(**outcome),)})
    monkeypatch.setattr(demo, "packaged", lambda: {"verdict": changed})

    ended = invoke("demo", columns=300)

    assert ended.code == 4
    assert line in ended.stdout
    assert "1 did not come out as recorded" in ended.stdout
