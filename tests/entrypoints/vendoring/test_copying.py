"""A copy touches what an earlier copy wrote, and nothing else."""

import json
import re
from pathlib import Path

import pytest

from src.entrypoints.cli.commands.vendor import MANIFEST, copy_files
from src.entrypoints.cli.guard import CommandError

FIRST = {"__init__.py": "one\n", "parts/a.py": "a\n", "parts/b.py": "b\n"}
SECOND = {"__init__.py": "two\n", "parts/a.py": "a\n", "parts/c.py": "c\n"}
UNCHANGED = dict.fromkeys(FIRST, "unchanged")


def copied(files: dict[str, str], folder: Path) -> dict[str, str]:
    return copy_files(files, folder, {"version": "1"})


def refused(files: dict[str, str], folder: Path, named: str) -> None:
    with pytest.raises(CommandError, match=f"files that this command did not write: {re.escape(named)}; choose"):
        copied(files, folder)


def texts(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def test_first_copy_writes_every_file_and_says_what_and_where_it_is_from(tmp_path: Path) -> None:
    assert copied(FIRST, tmp_path / "new") == dict.fromkeys(FIRST, "written")
    assert texts(tmp_path / "new") == FIRST
    manifest = json.loads((tmp_path / "new" / MANIFEST).read_text())
    assert (manifest["version"], set(manifest["files"])) == ("1", set(FIRST))


def test_later_copy_updates_adds_and_removes_and_leaves_the_hosts_files(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / "notes.txt").write_text("mine\n")

    assert copied(SECOND, tmp_path) == {
        "__init__.py": "written",
        "parts/a.py": "unchanged",
        "parts/b.py": "removed",
        "parts/c.py": "written",
    }
    assert texts(tmp_path) == SECOND | {"notes.txt": "mine\n"}


@pytest.mark.parametrize(
    ("gone", "written"),
    [((), {}), (("parts/a.py",), {"parts/a.py": "written"}), ((MANIFEST, "parts/a.py"), {"parts/a.py": "written"})],
    ids=["nothing", "a file", "a copy that was interrupted before its manifest"],
)
def test_same_copy_again_writes_what_is_gone(tmp_path: Path, gone: tuple[str, ...], written: dict[str, str]) -> None:
    copied(FIRST, tmp_path)
    for path in gone:
        (tmp_path / path).unlink()

    assert copied(FIRST, tmp_path) == UNCHANGED | written
    assert texts(tmp_path) == FIRST


@pytest.mark.parametrize("path", ["__init__.py", "parts/b.py"], ids=["still needed", "no longer needed"])
def test_file_that_the_host_has_changed_is_left_and_named_until_it_is_put_back(tmp_path: Path, path: str) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / path).write_text("mine\n")

    assert [copied(SECOND, tmp_path)[path] for _ in range(2)] == ["kept", "kept"]
    assert (tmp_path / path).read_text() == "mine\n"
    (tmp_path / path).write_text(FIRST[path])
    assert copied(SECOND, tmp_path)[path] == ("written" if path in SECOND else "removed")


def test_line_ends_that_version_control_exchanged_are_no_change(tmp_path: Path) -> None:
    copied(FIRST, tmp_path)
    (tmp_path / "__init__.py").write_bytes(b"one\r\n")

    assert copied(SECOND, tmp_path)["__init__.py"] == "written"


@pytest.mark.parametrize(("files", "path"), [(FIRST, "__init__.py"), (SECOND, "parts/c.py")])
def test_file_of_the_host_is_in_the_way_and_nothing_is_written(
    tmp_path: Path, files: dict[str, str], path: str
) -> None:
    if files is SECOND:
        copied(FIRST, tmp_path)
    (tmp_path / path).write_text("mine\n")
    before = texts(tmp_path)

    refused(files, tmp_path, path)
    assert texts(tmp_path) == before


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
