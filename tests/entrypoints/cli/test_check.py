"""`llm-output check`, beside its transcripts: what is written and what not, hostile names, and every process alike."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.recorded import MANIFEST
from tests.entrypoints.cli.harness import Ended, invoke, run

SHOP = """
from typing import Any
from pydantic import BaseModel

class Order(BaseModel):
    order: int
    lines: list[Any] = []

class Tagged(BaseModel):
    tags: set[str]
"""


@pytest.fixture
def texts(folder: Path) -> Path:
    """A folder with a text, beside a module with types."""
    (folder / "shop.py").write_text(SHOP, encoding="utf-8")
    recorded = folder / "recorded"
    recorded.mkdir()
    (recorded / "good.txt").write_text('{"order": 7, "lines": [true]}', encoding="utf-8")
    return recorded


@pytest.fixture
def recorded(texts: Path) -> Path:
    """The same, recorded as orders."""
    assert invoke("check", "recorded", "--record", "--dto", "shop:Order").code == 0
    return texts


def manifest(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return loaded


def one_line_of(ended: Ended, code: int = 2) -> str:
    """The only line on stderr, with which the command failed."""
    assert (ended.code, ended.stdout) == (code, "")
    (line,) = ended.stderr.splitlines()
    return line


def test_manifest_that_is_right_is_not_written_again(recorded: Path) -> None:
    before = (recorded / MANIFEST).stat()
    ended = invoke("check", "recorded", "--record")

    assert ended.stdout == "1 recorded: 0 new, 0 changed, 0 gone.\n"
    assert (recorded / MANIFEST).stat() == before


def test_number_that_became_true_is_written_though_python_calls_them_equal(recorded: Path) -> None:
    text = (recorded / MANIFEST).read_text().replace("true", "1")
    (recorded / MANIFEST).write_text(text)

    assert "$.lines[0] recorded as 1, now true" in invoke("check", "recorded").stdout
    invoke("check", "recorded", "--record")
    assert invoke("check", "recorded").code == 0


def test_order_of_a_set_is_the_same_in_every_process(texts: Path) -> None:
    (texts / "good.txt").write_text(json.dumps({"tags": list("hgfedcba")}), encoding="utf-8")
    run("check", "recorded", "--record", "--dto", "shop:Tagged", cwd=texts.parent, PYTHONHASHSEED="1")

    assert run("check", "recorded", cwd=texts.parent, PYTHONHASHSEED="2").code == 0
    assert manifest(texts)["recordings"][0]["value"]["tags"] == list("abcdefgh")


def test_nothing_is_written_where_one_text_cannot_be_recorded(texts: Path) -> None:
    (texts / "z").mkdir()
    (texts / "z/latin.txt").write_bytes(b"\xe9")
    line = one_line_of(invoke("check", "recorded", "--record"))

    assert "recorded/z/latin.txt is not UTF-8: byte 0xe9 at offset 0" in line
    assert list(texts.rglob(MANIFEST)) == []


def test_findings_are_sorted_by_name_folder_by_folder(recorded: Path) -> None:
    for name in ("b/2.txt", "b/10.txt", "a/1.txt"):
        (recorded / name).parent.mkdir(exist_ok=True)
        (recorded / name).write_text("{}", encoding="utf-8")
    lines = invoke("check", "recorded", "recorded/b").stdout.splitlines()

    assert [line.partition(":")[0] for line in lines[:-1]] == [
        f"recorded/{name}" for name in ("a/1.txt", "b/10.txt", "b/2.txt")
    ]


def test_names_and_values_of_a_stranger_are_shown_and_not_obeyed(texts: Path) -> None:
    (texts / "\x1b[2J\n.txt").write_text('{"a": "\\u001b[31m\\n"}', encoding="utf-8")
    invoke("check", "recorded", "--record")
    (texts / "\x1b[2J\n.txt").write_text('{"a": "\\u202e"}', encoding="utf-8")
    shown = invoke("check", "recorded").stdout

    assert len(shown.splitlines()) == 2
    assert not set(shown) & set("\x1b\u202e")


@pytest.mark.skipif(sys.platform != "linux", reason="only there a file's name may be any bytes")
def test_name_that_is_no_utf8_is_checked_too_and_links_to_folders_are_not(texts: Path) -> None:
    Path(os.fsdecode(os.fsencode(texts) + b"/\xff.txt")).write_text("{}", encoding="utf-8")
    (texts / "loop").symlink_to(texts, target_is_directory=True)
    invoke("check", "recorded", "--record")

    assert invoke("check", "recorded").stdout == "2 recordings: all as recorded.\n"


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 5000])
def test_manifest_that_no_reader_of_json_takes_is_a_usage_error_of_one_line(texts: Path, text: str) -> None:
    (texts / MANIFEST).write_text(text, encoding="utf-8")

    assert "is no manifest of recordings: " in one_line_of(invoke("check", "recorded"))


@pytest.mark.parametrize("error", [ValueError("too large"), RecursionError("too deep")])
def test_value_that_no_json_holds_is_an_error_and_leaves_the_manifest(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    before = (recorded / MANIFEST).read_bytes()

    def fail(_: object) -> str:
        raise error

    monkeypatch.setattr("src.entrypoints.cli.recorded.json_text", fail)

    assert f"cannot be written: {error}" in one_line_of(invoke("check", "recorded", "--record"))
    assert (recorded / MANIFEST).read_bytes() == before
