"""`llm-output demo`, and the recordings it replays."""

from functools import cache

import pytest
from rich.cells import cell_len

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.commands import demo
from src.entrypoints.cli.recorded import PACKAGED, packaged
from tests.entrypoints.cli.harness import RECORDINGS, Ended, invoke


@cache
def shown(columns: int) -> Ended:
    """What the demo shows on a terminal of so many columns."""
    return invoke("demo", columns=columns)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_recording_comes_out_as_the_manifest_says(agent: str) -> None:
    ended = invoke("check", str(PACKAGED / agent))

    assert ended.stdout == "4 recordings: all as recorded.\n"


def test_each_agent_has_every_case_and_is_read_as_itself() -> None:
    cases = [f"{case}.txt" for case in ("clean", "wrapped", "damaged", "refused")]

    assert {folder.name for folder in RECORDINGS.iterdir()} == set(AGENTS)
    for agent, manifest in packaged().items():
        assert (manifest.agent, [recording.file for recording in manifest.recordings]) == (agent, cases)


def test_the_demo_shows_each_agent_what_was_wrong_what_was_repaired_and_what_came_out() -> None:
    ended = shown(300)

    assert (ended.code, ended.stderr) == (0, "")
    for agent in AGENTS.values():
        assert agent.name in ended.stdout
    damaged = next(line for line in ended.stdout.splitlines() if "single-quoted strings" in line)
    assert "single quote ×23" in damaged
    assert "Overvalued, 0.72" in damaged


def test_a_refusal_shows_its_stage_and_reason() -> None:
    table = shown(300).stdout

    assert "refused at repair: the text is cut off here" in table
    assert "refused at validate: $.information_sources: Field required" in table


def test_the_last_line_sums_up() -> None:
    last = shown(120).stdout.splitlines()[-1]

    agents = len(AGENTS)
    assert last.startswith(f"{4 * agents} recordings: {3 * agents} parsed, {agents} refused; all as recorded.")


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_the_terminal_and_cuts_nothing(columns: int) -> None:
    lines = shown(columns).stdout.splitlines()

    assert max(map(cell_len, lines)) <= columns
    assert not any("…" in line for line in lines)


def test_a_pipe_gets_no_colours_and_no_blanks_at_line_ends() -> None:
    piped = shown(120).stdout

    assert "\x1b" not in piped
    assert not any(line.endswith(" ") for line in piped.splitlines())


@pytest.mark.parametrize(
    ("case", "outcome", "line"),
    [
        ("clean", {"refused": "validate"}, "verdict/clean.txt: recorded as refused at validate; now read"),
        ("refused", {"value": {}}, "verdict/refused.txt: recorded as read; now refused at validate"),
        ("clean", {"value": {"action": "SELL"}}, '$.action recorded as "SELL", now "BUY"'),
    ],
)
def test_a_recording_that_comes_out_otherwise_fails_the_demo(
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
