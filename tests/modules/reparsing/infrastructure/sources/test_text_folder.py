"""A folder of texts."""

import os
from pathlib import Path

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames, Record
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
    assert records(folder) == [Record(f"answers/{name}", f"answers/{name}", name) for name in names]


def test_hidden_files_links_and_what_is_no_file_are_left_out(folder: Path) -> None:
    written(folder, "a.txt", ".hidden", ".git/config")
    (folder / "link.txt").symlink_to("a.txt")
    (folder / "loop").symlink_to(".")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    assert texts(folder, FieldNames(text="reply.content")) == ["a.txt"]  # under whatever name is asked for


def test_text_is_refused_alone_where_it_is_not_utf8_and_may_be_empty(folder: Path) -> None:
    written(folder, "a", "d")
    (folder / "b").write_bytes(b"x\xff")
    (folder / "c").touch()
    (folder / os.fsdecode(b"\xff.txt")).write_text("e")
    assert texts(folder) == ["a", "not UTF-8: byte 0xff at offset 1", "", "d", "e"]
    assert records(folder)[-1] == Record("answers/\\xff.txt", "answers/\\xff.txt", "e")


def test_file_that_went_away_is_refused_alone(folder: Path) -> None:
    written(folder, "a", "b", "c")
    rows = source(folder).rows()
    assert next(rows).place == "answers/a"
    (folder / "b").unlink()
    places = [(row.place, type(row.content).__name__) for row in rows]
    assert places == [("answers/b", "Phrase"), ("answers/c", "dict")]


@pytest.mark.parametrize("name", ["a.jsonl", "x/a.csv", "a.parquet", "a.jsonl.gz", "a.db"])
def test_folder_with_data_is_refused_with_what_to_name(folder: Path, name: str) -> None:
    written(folder, "a.txt", name)
    with pytest.raises(BatchInputError) as error:
        source(folder).identity()
    assert f"it holds data, such as answers/{name}" in str(error.value)
    assert f"name the data: answers/*{Path(name).suffix}" in str(error.value)


def test_identity_knows_names_and_contents_and_the_position_reaches_the_size(folder: Path) -> None:
    written(folder, "aa", "bbb")
    rows, first = source(folder), source(folder).identity()
    assert ([row.position for row in rows.rows()], rows.total) == ([2, 5], 5)
    assert rows.identity() == first
    (folder / "bbb").rename(folder / "ccc")
    second = rows.identity()
    (folder / "ccc").write_text("BBB")
    third = rows.identity()
    assert first["files"] == second["files"] == third["files"] == 2
    assert len({identity["content"] for identity in (first, second, third)}) == 3


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
