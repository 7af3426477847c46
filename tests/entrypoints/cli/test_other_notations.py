"""`--notations` of `parse` and `batch`, with commas or repeated."""

import json
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import invoke

TEXT = "Mine:\n\n<x><a>4</a></x>\n"


@pytest.fixture
def schema(tmp_path: Path) -> str:
    file = tmp_path / "schema.json"
    file.write_text('{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}')
    return str(file)


@pytest.mark.parametrize("said", [("xml,yaml",), ("yaml", "xml"), ("json, xml",)])
def test_words_are_repeated_or_stand_between_commas(schema: str, said: tuple[str, ...]) -> None:
    flags = [part for word in said for part in ("--notations", word)]
    ended = invoke("parse", "-", "--schema", schema, *flags, text=TEXT)
    assert (ended.code, json.loads(ended.stdout)) == (ExitCode.OK, {"a": 4})


def test_without_the_flag_and_with_json_alone_the_text_is_refused(schema: str) -> None:
    ended = invoke("parse", "-", "--schema", schema, text=TEXT)
    assert ended.code == ExitCode.PARSE_ERROR
    assert invoke("parse", "-", "--schema", schema, "--notations", "json", text=TEXT) == ended


def test_other_word_is_a_mistake_of_usage(schema: str) -> None:
    ended = invoke("parse", "-", "--schema", schema, "--notations", "xml,toml", text=TEXT)
    assert ended.code == ExitCode.USAGE
    assert "'toml' is none of: json, yaml, xml, labelled, markdown" in ended.stderr


def test_batch_reads_them_and_its_manifest_names_them(schema: str, tmp_path: Path) -> None:
    texts, folder = tmp_path / "texts.jsonl", tmp_path / "out"
    texts.write_text(json.dumps({"text": TEXT}) + "\n")
    asked = ("batch", str(texts), "--schema", schema, "--out", str(folder))
    assert invoke(*asked, "--notations", "xml").code == ExitCode.OK
    assert json.loads((folder / "parsed.jsonl").read_text())["data"] == {"a": 4}
    assert invoke(*asked, "--notations", "json,xml", "--resume").code == ExitCode.OK
    assert "notations" in invoke(*asked, "--resume").stderr
