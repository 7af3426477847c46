"""A copy touches what an earlier copy wrote, and nothing else."""

import json
import re
from pathlib import Path

import pytest

from src.entrypoints.cli.commands.vendor import MANIFEST, copy_files
from src.entrypoints.cli.guard import CommandError

FIRST = {"__init__.py": "one\n", "parts/a.py": "a\n", "parts/b.py": "b\n"}
SECOND = {"__init__.py": "two\n", "parts/a.py": "a\n", "parts/c.py": "c\n"}
ABOUT = {"version": "1"}


def copied(files: dict[str, str], folder: Path) -> dict[str, str]:
    return copy_files(files, folder, ABOUT)


def refused(files: dict[str, str], folder: Path, named: str) -> None:
    with pytest.raises(CommandError, match=f"files that this command did not write: {re.escape(named)}; choose"):
        copied(files, folder)


def texts(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def test_first_copy_writes_every_file(tmp_path: Path) -> None:
    done = copied(FIRST, tmp_path / "new")

    assert done == dict.fromkeys(FIRST, "written")
    assert texts(tmp_path / "new") == FIRST


def test_manifest_says_what_was_copied_and_where_it_is_from(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())

    assert manifest["version"] == "1"
    assert set(manifest["files"]) == set(FIRST)


def test_same_copy_again_changes_nothing(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)

    assert copied(FIRST, tmp_path) == dict.fromkeys(FIRST, "unchanged")


def test_later_copy_updates_adds_and_removes(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)

    done = copied(SECOND, tmp_path)

    assert done == {
        "__init__.py": "written",
        "parts/a.py": "unchanged",
        "parts/b.py": "removed",
        "parts/c.py": "written",
    }
    assert texts(tmp_path) == SECOND


def test_file_that_somebody_deleted_is_written_again(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / "parts/a.py").unlink()

    assert copied(FIRST, tmp_path) == dict.fromkeys(FIRST, "unchanged") | {"parts/a.py": "written"}


@pytest.mark.parametrize("path", ["__init__.py", "parts/b.py"], ids=["still needed", "no longer needed"])
def test_file_that_the_host_has_changed_is_left_and_named_each_time(tmp_path: Path, path: str) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / path).write_text("mine\n")

    assert copied(SECOND, tmp_path)[path] == "kept"
    assert copied(SECOND, tmp_path)[path] == "kept"
    assert (tmp_path / path).read_text() == "mine\n"


def test_file_that_was_changed_and_put_back_is_updated(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / "__init__.py").write_text("mine\n")
    copied(SECOND, tmp_path)
    (tmp_path / "__init__.py").write_text("one\n")

    assert copied(SECOND, tmp_path)["__init__.py"] == "written"


def test_file_of_the_host_is_in_the_way_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("mine\n")

    refused(FIRST, tmp_path, "__init__.py")
    assert texts(tmp_path) == {"__init__.py": "mine\n"}


def test_new_file_of_a_later_copy_does_not_overwrite_one_of_the_hosts(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / "parts/c.py").write_text("mine\n")

    refused(SECOND, tmp_path, "parts/c.py")
    assert texts(tmp_path) == FIRST | {"parts/c.py": "mine\n"}


def test_other_files_of_the_host_in_the_same_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    copied(FIRST, tmp_path)
    copied(SECOND, tmp_path)

    assert (tmp_path / "notes.txt").read_text() == "mine\n"


def test_copy_that_was_interrupted_before_its_manifest_is_finished_by_the_next(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / MANIFEST).unlink()
    (tmp_path / "parts/a.py").unlink()

    assert copied(FIRST, tmp_path) == dict.fromkeys(FIRST, "unchanged") | {"parts/a.py": "written"}


def test_line_ends_that_version_control_exchanged_are_no_change(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / "__init__.py").write_bytes(b"one\r\n")

    assert "kept" not in copied(SECOND, tmp_path).values()


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_no_plain_file_is_the_hosts(tmp_path: Path, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("one\n")
    target = tmp_path / "new" / "__init__.py"
    target.parent.mkdir()
    if kind == "link":
        target.symlink_to(elsewhere)
    else:
        target.mkdir()

    refused(FIRST, target.parent, "__init__.py")


@pytest.mark.parametrize(
    "manifest",
    [
        *("", "[]", "{}", '{"files": []}'),
        *(json.dumps({"files": {path: "x"}}) for path in ("../a", "/a", "a/../../b", "C:a", "..\\a")),
    ],
)
def test_manifest_that_is_not_ours_is_in_the_way(tmp_path: Path, manifest: str) -> None:
    (tmp_path / MANIFEST).write_text(manifest)

    refused(FIRST, tmp_path, MANIFEST)
