"""No row may become slower by more than a quarter than the stored one of the same machine."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tools.benchmarks.guard import MOST, REPEATS, Measure, Measured, Row, Slower, fingerprint, guard, measured, slower
from tools.benchmarks.timing import Cell
from tools.benchmarks.verdict import Verdict

CLEAN, DAMAGED, HOSTILE = (
    Row(2048, "clean", "ours"),
    Row(2048, "single quotes", "ours"),
    Row(1024, "quotes", "ours", "hostile"),
)
ALL_TWO = {CLEAN: 2.0, DAMAGED: 2.0, HOSTILE: 2.0}
MACHINE = "a processor, a system, CPython 3.12.1"


def run(seconds: dict[Row, float]) -> Measured:
    """A run in which the baseline took a second."""
    return Measured(seconds, {2048: 1.0})


def unasked(_: list[Row]) -> Measured:
    pytest.fail("nothing had to be measured again")


def as_before(found: dict[Row, float]) -> Measure:
    return lambda wanted: run({row: found[row] for row in wanted})


@pytest.fixture
def path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Where a run is stored in which every row takes twice as long as the baseline."""
    path = tmp_path / "stored.json"
    assert guard(run(ALL_TWO), path, MACHINE, as_before(ALL_TWO)) == 0
    capsys.readouterr()
    return path


def test_first_run_is_stored_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "folder" / "stored.json"
    assert guard(run(ALL_TWO), path, MACHINE, as_before(ALL_TWO)) == 0
    assert capsys.readouterr().out.startswith("stored: 3 rows of this machine")
    assert json.loads(path.read_text("utf-8"))[MACHINE][0] == [[2048, "clean", "ours", "times"], 2.0]


@pytest.mark.parametrize("now", [0.1, 2.0, 2.0 * MOST])
def test_run_passes_up_to_a_quarter_more_and_the_stored_one_stays(now: float, path: Path) -> None:
    before = path.read_text("utf-8")
    assert guard(run({CLEAN: now, DAMAGED: 2.0, HOSTILE: 2.0}), path, MACHINE, unasked) == 0
    assert path.read_text("utf-8") == before


def test_slower_rows_fail_the_run_and_are_named_the_worst_first(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {CLEAN: 3.0, DAMAGED: 2.0, HOSTILE: math.inf}
    assert guard(run(found), path, MACHINE, as_before(found)) == 1
    assert capsys.readouterr().out.splitlines() == [
        "slower: hostile, 1 KB, quotes, ours: × inf (2 → inf of pydantic)",
        "slower: 2 KB, clean, ours: × 1.50 (2 → 3 of pydantic)",
        "1 of 3 rows are not slower than the stored ones; 0 have none stored",
    ]


def test_row_that_looks_slower_is_measured_again_before_it_fails(path: Path) -> None:
    asked: list[list[Row]] = []

    def again(wanted: list[Row]) -> Measured:
        asked.append(wanted)
        return run({DAMAGED: 3.0 / len(asked), CLEAN: 9.0})

    assert guard(run({CLEAN: 2.0, DAMAGED: 3.0}), path, MACHINE, again) == 0
    assert asked == [[DAMAGED]] * 2


def test_row_is_measured_again_only_so_often(path: Path) -> None:
    asked: list[list[Row]] = []

    def again(wanted: list[Row]) -> Measured:
        asked.append(wanted)
        return run({})

    assert guard(run({CLEAN: 2.6}), path, MACHINE, again) == 1
    assert asked == [[CLEAN]] * REPEATS


def test_run_of_another_machine_is_not_compared(path: Path) -> None:
    assert guard(run({CLEAN: 9.0}), path, "another one", as_before({CLEAN: 9.0})) == 0
    assert guard(run({CLEAN: 2.0}), path, MACHINE, unasked) == 0


def test_run_that_is_to_be_stored_replaces_the_one_before(path: Path) -> None:
    assert guard(run({CLEAN: 9.0}), path, MACHINE, as_before({CLEAN: 9.0}), store=True) == 0
    assert guard(run({CLEAN: 9.0}), path, MACHINE, unasked) == 0


def test_shortest_times_of_several_runs_are_stored(tmp_path: Path) -> None:
    path, runs = (
        tmp_path / "stored.json",
        iter([Measured({CLEAN: 3.0}, {2048: 2.0}), Measured({CLEAN: 9.0}, {2048: 1.5})]),
    )
    assert guard(Measured({CLEAN: 6.0}, {2048: 4.0}), path, MACHINE, lambda _: next(runs)) == 0
    assert json.loads(path.read_text("utf-8"))[MACHINE][0][1] == 2.0


def test_row_that_has_none_stored_does_not_count() -> None:
    assert slower({CLEAN: 9.0, DAMAGED: 3.0}, {DAMAGED: 2.0, HOSTILE: 1.0}) == [Slower(DAMAGED, 2.0, 3.0)]


def test_row_is_our_shortest_time_over_that_of_the_baseline_for_the_size() -> None:
    def cell(*turns: float) -> Cell:
        return Cell(Verdict.RIGHT, turns)

    times = {
        (2048, "clean", "ours"): cell(8.0, 6.0),
        (2048, "clean", "pydantic"): cell(2.0, 3.0),
        (2048, "clean", "json_repair"): cell(1.0),
        (2048, "single quotes", "ours"): cell(),
        (2048, "single quotes", "pydantic"): cell(1.5),
        (1024, "clean", "pydantic"): cell(0.5),
    }
    hostile = {("quotes", "ours", 1024): cell(3.0), ("quotes", "json_repair", 1024): cell(1.0)}
    assert measured(times, hostile).rows() == {CLEAN: 4.0, DAMAGED: math.inf, HOSTILE: 2.0}


def test_machine_is_its_processor_system_and_interpreter() -> None:
    assert (
        fingerprint({"processor": "p", "system": "s", "python": "CPython 3.12.1", "node": "v1"})
        == "p, s, CPython 3.12.1"
    )
