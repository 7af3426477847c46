"""A folder of texts."""

import os
from pathlib import Path

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames, Record
from src.modules.reparsing.infrastructure.sources import opening
from tests.modules.reparsing.infrastructure.sources.read import records, source, texts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("answers")
    path.mkdir()
    return path


def written(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def test_files_of_all_levels_come_by_name_which_is_their_id(folder: Path) -> None:
    written(folder, "b.txt", "Z.md", "a/2.txt", "a/10.txt", "a.json", "no ending", "é.txt")
    names = ["Z.md", "a/10.txt", "a/2.txt", "a.json", "b.txt", "no ending", "é.txt"]
    expected = [Record(f"answers/{name}", f"answers/{name}", name) for name in names]
    assert records(folder) == expected


def test_hidden_files_links_and_what_is_no_file_are_left_out(folder: Path) -> None:
    written(folder, "a.txt", ".hidden", ".git/config")
    (folder / "link.txt").symlink_to("a.txt")
    (folder / "loop").symlink_to(".")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    assert texts(folder) == ["a.txt"]


def test_text_stands_under_whatever_name_is_asked_for(folder: Path) -> None:
    written(folder, "a.txt")
    assert texts(folder, FieldNames(text="reply.content")) == ["a.txt"]


def test_text_that_is_not_utf8_is_refused_alone(folder: Path) -> None:
    written(folder, "a", "c")
    (folder / "b").write_bytes(b"x\xff")
    assert texts(folder) == ["a", "not UTF-8: byte 0xff at offset 1", "c"]


def test_empty_file_is_an_empty_text(folder: Path) -> None:
    (folder / "a").touch()
    assert texts(folder) == [""]


def test_file_that_is_too_large_is_refused_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 3)
    for name in ("abc", "abcd"):
        written(folder, name)
    assert texts(folder) == ["abc", "the row has more than 3 bytes"]


def test_file_that_cannot_be_read_is_refused_alone(folder: Path) -> None:
    written(folder, "a", "b", "c")
    rows = source(folder).rows()
    assert next(rows).place == "answers/a"
    (folder / "b").unlink()
    places = [(row.place, type(row.content).__name__) for row in rows]
    assert places == [("answers/b", "Phrase"), ("answers/c", "dict")]


def test_name_that_is_not_utf8_is_told_with_escapes(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff.txt")).write_text("a")
    assert records(folder) == [Record("answers/\\xff.txt", "answers/\\xff.txt", "a")]


@pytest.mark.parametrize("name", ["a.jsonl", "x/a.csv", "a.parquet", "a.jsonl.gz", "a.db"])
def test_folder_with_data_is_refused_with_what_to_name(folder: Path, name: str) -> None:
    written(folder, "a.txt", name)
    with pytest.raises(BatchInputError) as error:
        source(folder).identity()
    assert f"it holds data, such as answers/{name}" in str(error.value)
    assert f"name the data: answers/*{Path(name).suffix}" in str(error.value)


def test_identity_knows_names_and_contents(folder: Path) -> None:
    written(folder, "a", "b")
    first = source(folder).identity()
    assert source(folder).identity() == first
    (folder / "b").rename(folder / "c")
    second = source(folder).identity()
    (folder / "c").write_text("B")
    third = source(folder).identity()
    assert first["files"] == second["files"] == third["files"] == 2
    assert len({identity["content"] for identity in (first, second, third)}) == 3


def test_position_reaches_the_size_of_the_files(folder: Path) -> None:
    written(folder, "aa", "bbb")
    rows = source(folder)
    assert ([row.position for row in rows.rows()], rows.total) == ([2, 5], 5)


def test_file_without_permission_is_part_of_the_identity(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one who runs the tests may be allowed everything: the file refuses by itself."""
    written(folder, "a", "b")
    as_it_is = Path.open

    def refusing(path: Path, mode: str = "r") -> object:
        if path.name == "a":
            raise PermissionError(13, "Permission denied")
        return as_it_is(path, mode)

    monkeypatch.setattr(Path, "open", refusing)
    assert source(folder).identity()["files"] == 2
    assert texts(folder) == ["the file cannot be read: Permission denied", "b"]
