"""Runs are read from their folders and found beneath a folder; what cannot be read has a reason and stops nothing."""

import json
import os
import shutil
from pathlib import Path

import pytest

from examples.committee.domain.exceptions import RunUnfinishedError, RunUnreadableError
from examples.committee.infrastructure import run_finder
from examples.committee.infrastructure.run_files import KIND, created_of, is_run
from examples.committee.infrastructure.run_finder import DEEPEST, find_runs
from examples.committee.infrastructure.run_reader import MOST_BYTES, read_run
from tests.modules.inputs import DOSSIER_FILE

RESULT = {"version": 1, "symbol": "688999.SH", "verdict": None, "totals": {"calls": 3}}


def written(folder: Path, result: object = RESULT, *, run: bool = True, dossier: bool = True) -> Path:
    folder.mkdir(parents=True)
    if result is not None:
        text = result if isinstance(result, str) else json.dumps(result)
        (folder / "result.json").write_text(text, encoding="utf-8")
    if run:
        about = {"kind": KIND, "created": "2026-01-02T03:04:05+00:00"}
        (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    if dossier:
        shutil.copy(DOSSIER_FILE, folder / "dossier.json")
    return folder


# --- one folder ------------------------------------------------------------------------------------------------


def test_run_is_read_with_its_dossier_and_its_date(tmp_path: Path) -> None:
    run = read_run(written(tmp_path / "run"))
    assert (run.symbol, run.name, str(run.as_of)) == ("688999.SH", "临溪传感（虚构）", "2025-11-21")
    assert run.created
    assert (run.created.year, run.has_report) == (2026, False)


def test_result_without_its_dossier_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    run = read_run(written(tmp_path / "run", run=False, dossier=False))
    assert (run.symbol, run.name, run.as_of, run.dossier, run.created) == ("688999.SH", "", None, None, None)


def test_dossier_that_is_none_costs_only_itself(tmp_path: Path) -> None:
    folder = written(tmp_path / "run", {"verdict": None})
    (folder / "dossier.json").write_text("{}", encoding="utf-8")
    run = read_run(folder)
    assert (run.dossier, run.symbol) == (None, "")


def test_symbol_of_a_result_without_one_is_the_dossiers(tmp_path: Path) -> None:
    assert read_run(written(tmp_path / "run", {})).symbol == "688999.SH"


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("{", "JSON"),
        ("[" * 100_000, "JSON"),
        ("[1]", "result of a committee"),
        ({"score": 1}, "result of a committee"),
        (RESULT | {"version": 2}, "newer"),
        (" " * (MOST_BYTES + 1), "larger"),
    ],
    ids=["cut", "deep", "a list", "of something else", "of a later version", "large"],
)
def test_result_that_cannot_be_read_has_a_reason(tmp_path: Path, result: object, reason: str) -> None:
    with pytest.raises(RunUnreadableError, match=reason) as raised:
        read_run(written(tmp_path / "run", result, run=False))
    assert raised.value.details == {"folder": str(tmp_path / "run")}


def test_result_as_large_as_the_bound_is_read(tmp_path: Path) -> None:
    text = json.dumps(RESULT)
    assert read_run(written(tmp_path / "run", text + " " * (MOST_BYTES - len(text)))).symbol


def test_run_without_a_result_is_unfinished(tmp_path: Path) -> None:
    with pytest.raises(RunUnfinishedError, match="not ended"):
        read_run(written(tmp_path / "run", None))


def test_folder_of_something_else_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunUnreadableError, match="no folder of a run"):
        read_run(tmp_path)


def test_result_that_cannot_be_opened_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "run")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RunUnreadableError, match="Permission denied"):
        read_run(folder)


@pytest.mark.parametrize("created", ["", "yesterday", "2026-01-02T03:04:05", None, 3])
def test_date_that_is_none_or_has_no_zone_is_not_known(tmp_path: Path, created: object) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"kind": KIND, "created": created}), encoding="utf-8")
    assert is_run(tmp_path)
    assert created_of(tmp_path) is None


@pytest.mark.parametrize("text", ["[]", "{", '{"kind": "else"}', "{}" + " " * 70_000])
def test_folder_whose_file_says_something_else_is_no_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    assert not is_run(tmp_path)


# --- all beneath a folder --------------------------------------------------------------------------------------


def names(found: list[object]) -> list[str]:
    return [one.folder.name for one in found]  # type: ignore[attr-defined]  # each kind has one


def test_runs_are_found_at_any_depth_and_apart_from_what_is_not_finished_or_not_readable(tmp_path: Path) -> None:
    written(tmp_path / "a/b/good")
    written(tmp_path / "stopped", None)
    written(tmp_path / ".killed", None, dossier=False)
    written(tmp_path / "broken", "{")
    (tmp_path / "notes").mkdir()
    found = find_runs(tmp_path)
    assert names([*found.runs]) == ["good"]
    assert names([*found.unfinished]) == [".killed", "stopped"]
    assert [one.dossier is None for one in found.unfinished] == [True, False]
    assert [(one.folder.name, one.reason.en) for one in found.left_out] == [("broken", "result.json is not valid JSON")]
    assert found.is_all


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    outside = written(tmp_path / "outside/run")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "loop").symlink_to(inside)
    (inside / "out").symlink_to(outside)
    found = find_runs(inside)
    assert (found.runs, names([*found.left_out])) == ([], ["loop", "out"])


@pytest.mark.parametrize("name", ["result.json", "run.json", "dossier.json"])
def test_file_that_links_out_of_the_folder_is_not_read(tmp_path: Path, name: str) -> None:
    outside = written(tmp_path / "outside")
    folder = written(tmp_path / "inside/run")
    (folder / name).unlink()
    (folder / name).symlink_to(outside / name)
    found = find_runs(tmp_path / "inside")
    assert (found.runs, [one.reason.en for one in found.left_out]) == ([], ["links to a place outside the folder"])


def test_result_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    folder = written(tmp_path / "run", None)
    os.mkfifo(folder / "result.json")
    assert names([*find_runs(tmp_path).unfinished]) == ["run"]


def test_folders_are_looked_into_as_deep_as_the_bound(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"x" * (DEEPEST - 1))
    written(deep / "run")
    written(deep / "y" / "run")
    found = find_runs(tmp_path)
    assert names([*found.runs]) == ["run"]
    assert [one.reason.en for one in found.left_out] == [f"deeper than {DEEPEST} folders"]


@pytest.mark.parametrize("bound", ["MOST_RUNS", "MOST_FOLDERS"])
def test_no_more_than_the_bound_is_read_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    written(tmp_path / "a")
    written(tmp_path / "b")
    monkeypatch.setattr(run_finder, bound, 3)
    assert find_runs(tmp_path).is_all
    monkeypatch.setattr(run_finder, bound, 2 if bound == "MOST_FOLDERS" else 1)
    found = find_runs(tmp_path)
    assert (names([*found.runs]), found.is_all) == (["a"], False)


def test_folder_that_cannot_be_opened_has_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "a")
    scan = os.scandir

    def refuse(folder: Path) -> object:
        if folder.name == "a":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find_runs(tmp_path)
    assert [one.reason.en for one in found.left_out] == ["cannot be opened, Permission denied"]


def test_folder_itself_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        find_runs(tmp_path / "none")
