"""`llm-output demo`, and the recordings it replays."""

import dataclasses
from typing import Any

import pytest
from rich.cells import cell_len

from src.entrypoints.cli.agents import AGENTS
from src.entrypoints.cli.commands import demo
from src.entrypoints.cli.recorded import Recording, recordings
from src.entrypoints.cli.recorded_check import replay
from tests.entrypoints.cli.harness import RECORDINGS, invoke


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.file)
def test_every_recording_comes_out_as_the_manifest_says(recording: Recording) -> None:
    outcome = replay(recording, AGENTS[recording.agent], timed_runs=1)

    assert outcome.as_recorded, f"{outcome.result}, expected {outcome.expectation}"


def test_the_manifest_lists_every_recording_and_each_agent_has_every_case() -> None:
    listed = {recording.file for recording in recordings()}

    assert listed == {file.relative_to(RECORDINGS).as_posix() for file in RECORDINGS.glob("*/*.txt")}
    assert {(recording.agent, recording.case) for recording in recordings()} == {
        (agent, case) for agent in AGENTS for case in ("clean", "wrapped", "damaged", "refused")
    }


def test_the_demo_shows_each_agent_what_was_wrong_what_was_repaired_and_what_came_out() -> None:
    ended = invoke("demo", columns=160)

    assert (ended.code, ended.stderr) == (0, "")
    for agent in AGENTS.values():
        assert agent.output.label in ended.stdout
    damaged = next(line for line in ended.stdout.splitlines() if "single-quoted strings" in line)
    assert "single quote ×23" in damaged
    assert "Overvalued, 0.72" in damaged


def test_a_refusal_shows_its_stage_and_reason() -> None:
    shown = invoke("demo", columns=300).stdout

    assert "refused at repair: the text is cut off here" in shown
    assert "refused at validate: $.information_sources: Field required" in shown


def test_the_last_line_sums_up() -> None:
    last = invoke("demo").stdout.splitlines()[-1]

    agents = len(AGENTS)
    assert last.startswith(f"{4 * agents} recordings: {3 * agents} parsed, {agents} refused; all as recorded.")


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_the_terminal_and_cuts_nothing(columns: int) -> None:
    lines = invoke("demo", columns=columns).stdout.splitlines()

    assert max(map(cell_len, lines)) <= columns
    assert not any("…" in line for line in lines)


def test_a_pipe_gets_no_colours_and_no_blanks_at_line_ends() -> None:
    shown = invoke("demo").stdout

    assert "\x1b" not in shown
    assert not any(line.endswith(" ") for line in shown.splitlines())


@pytest.mark.parametrize(
    ("headline", "expected"),
    [
        (None, "expected a refusal"),
        ({"action": "SELL"}, "expected SELL"),
        ({"no_such_field": 1}, "expected 1"),
    ],
)
def test_a_recording_that_comes_out_otherwise_fails_the_demo(
    monkeypatch: pytest.MonkeyPatch, headline: dict[str, Any] | None, expected: str
) -> None:
    first, *others = [recording for recording in recordings() if recording.file == "verdict/clean.txt"]
    monkeypatch.setattr(demo, "recordings", lambda: (dataclasses.replace(first, headline=headline), *others))

    ended = invoke("demo")

    assert ended.code == 1
    assert f"verdict/clean.txt: {expected}" in ended.stdout
    assert "1 did not come out as recorded" in ended.stdout


def test_a_refused_recording_that_should_be_read_fails_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = next(recording for recording in recordings() if recording.case == "refused")
    monkeypatch.setattr(demo, "recordings", lambda: (dataclasses.replace(refused, headline={"signal": "BULLISH"}),))

    ended = invoke("demo")

    assert ended.code == 1
    assert "expected BULLISH" in ended.stdout
