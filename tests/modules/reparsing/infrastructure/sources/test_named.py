"""Which source an input is."""

import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.sources.named import sources_named


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl", "a.csv", "a.txt", "a.csv.bz2", "a.parquet.gz", "texts/more/a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    sqlite3.connect(tmp_path / "a.db").close()
    return tmp_path


def kinds(*inputs: str) -> list[str]:
    """What reads each of them."""
    rows: list[Any] = [source.rows for source in sources_named(inputs, FieldNames())]
    return [one.func.__name__ if isinstance(one, partial) else "standard_input" for one in rows]


def refusal(*inputs: str) -> str:
    with pytest.raises(BatchInputError) as error:
        kinds(*inputs)
    return str(error.value)


@pytest.mark.usefixtures("folder")
def test_inputs_of_mixed_kinds_are_each_read_as_what_they_are() -> None:
    inputs = ("a.jsonl", "-", "a.csv", "sqlite:///a.db?table=t", "texts", "sqlite:///a.db?table=u")
    assert kinds(*inputs) == ["json_lines", "standard_input", "csv_rows", "sqlite_rows", "folder_rows", "sqlite_rows"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["a.txt", "a.csv.bz2", "a.parquet.gz"])
def test_file_of_no_known_kind_is_refused_with_those_there_are(name: str) -> None:
    assert "not a kind that is read; those are: FILE.jsonl, FILE.ndjson" in refusal(name)


@pytest.mark.usefixtures("folder")
def test_file_that_is_not_there_and_one_that_is_no_file_are_refused() -> None:
    assert "there is no such file" in refusal("missing.jsonl")
    assert "neither a file nor a folder" in refusal("pipe.jsonl")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "inputs",
    [
        ("a.jsonl", "a.jsonl"),
        ("a.jsonl", "b.jsonl", "./a.jsonl"),
        ("link.jsonl", "a.jsonl"),
        ("-", "-"),
        ("texts", "texts/more/.."),
        ("texts", "texts/more"),
        ("texts/more", "texts"),
        ("sqlite:///a.db?table=t", "sqlite:///./a.db?table=T"),
    ],
)
def test_rows_are_not_read_twice(inputs: tuple[str, ...]) -> None:
    assert "already" in refusal(*inputs)
