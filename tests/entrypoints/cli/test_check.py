"""`llm-output check`: recorded outputs that still read as recorded, those that do not, and recording them anew."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.commands.check import MOST_DIFFERENCES
from src.entrypoints.cli.recorded import MANIFEST, PACKAGED
from tests.entrypoints.cli.harness import Ended, invoke, run

SHOP = """
import itertools
from typing import Any
from pydantic import BaseModel, Field

numbers = itertools.count()

class Order(BaseModel):
    order: int
    paid: bool = False
    lines: list[Any] = []

class Renamed(BaseModel):
    number: int = Field(alias="order")
    paid: bool = False

class Numbered(BaseModel):
    order: int
    id: int = Field(default_factory=lambda: next(numbers))

class Tagged(BaseModel):
    tags: set[str]
"""
SCHEMA = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}


@pytest.fixture
def texts(folder: Path) -> Path:
    """A folder with a text that is read and one that is refused, beside a module with types."""
    (folder / "shop.py").write_text(SHOP, encoding="utf-8")
    recorded = folder / "recorded"
    recorded.mkdir()
    (recorded / "good.txt").write_text("Here: {'order': 7, 'lines': ['a', 2,],}", encoding="utf-8")
    (recorded / "cut.txt").write_text('{"order": 7', encoding="utf-8")
    return recorded


@pytest.fixture
def recorded(texts: Path) -> Path:
    """The same, recorded as orders."""
    assert invoke("check", "recorded", "--record", "--dto", "shop:Order").code == 0
    return texts


def manifest(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return loaded


def change(folder: Path, file: str, **facts: object) -> None:
    """Change what is recorded of a text."""
    data = manifest(folder)
    (entry,) = [entry for entry in data["recordings"] if entry["file"] == file]
    entry.update(facts)
    (folder / MANIFEST).write_text(json.dumps({**data, "recordings": data["recordings"]}), encoding="utf-8")


def one_line_of(ended: Ended, code: int = 2) -> str:
    """The only line on stderr, with which the command failed."""
    assert (ended.code, ended.stdout) == (code, "")
    (line,) = ended.stderr.splitlines()
    return line


# --- recording ------------------------------------------------------------------------------------------------


def test_without_a_type_texts_are_recorded_as_plain_data(texts: Path) -> None:
    invoke("check", "recorded", "--record")

    assert manifest(texts)["recordings"][1] == {"file": "good.txt", "value": {"order": 7, "lines": ["a", 2]}}
    assert "dto" not in manifest(texts)


def test_agents_name_is_recorded_as_the_type(folder: Path) -> None:
    (folder / "a.txt").write_bytes((PACKAGED / "verdict/clean.txt").read_bytes())
    invoke("check", ".", "--record", "--agent", "verdict")

    assert manifest(folder)["agent"] == "verdict"
    assert manifest(folder)["recordings"][0]["value"]["action"] == "BUY"
    assert invoke("check", ".").code == 0


@pytest.mark.parametrize(
    ("schema", "written"), [("recorded/order.json", "order.json"), ("order.json", "../order.json")]
)
def test_schema_may_lie_beside_the_texts_or_above_them_and_is_no_text(
    texts: Path, folder: Path, schema: str, written: str
) -> None:
    Path(schema).write_text(json.dumps(SCHEMA), encoding="utf-8")
    invoke("check", "recorded", "--record", "--schema", schema)

    assert manifest(texts)["schema"] == written
    assert [entry["file"] for entry in manifest(texts)["recordings"]] == ["cut.txt", "good.txt"]
    os.chdir(texts)
    assert invoke("check", ".").code == 0
    assert folder.is_dir()


def test_folders_in_a_folder_have_manifests_of_their_own(texts: Path) -> None:
    inner = texts / "inner"
    inner.mkdir()
    (inner / "a.txt").write_text('{"order": 8}', encoding="utf-8")
    invoke("check", "recorded", "--record", "--dto", "shop:Order")

    assert [entry["file"] for entry in manifest(inner)["recordings"]] == ["a.txt"]
    assert [entry["file"] for entry in manifest(texts)["recordings"]] == ["cut.txt", "good.txt"]
    assert invoke("check", "recorded", "recorded/inner").stdout == "3 recordings: all as recorded.\n"


def test_finish_reason_is_recorded_of_new_texts_and_decides_at_each_check(recorded: Path) -> None:
    (recorded / "new.txt").write_text('{"order": 9', encoding="utf-8")
    invoke("check", "recorded", "--record", "--finish-reason", "stop")
    cut, _, new = manifest(recorded)["recordings"]

    assert cut == {"file": "cut.txt", "refused": "repair"}
    assert (new["finish_reason"], new["value"]["order"]) == ("stop", 9)
    change(recorded, "new.txt", finish_reason="length")
    assert "new.txt: recorded as read; now refused at repair" in invoke("check", "recorded").stdout


def test_recording_anew_keeps_what_a_person_wrote_and_the_order_and_tells_what_changed(recorded: Path) -> None:
    (recorded / "good.txt").write_text('{"order": 8}', encoding="utf-8")
    (recorded / "a.txt").write_text('{"order": 1}', encoding="utf-8")
    change(recorded, "good.txt", what="quotes", finish_reason="end_turn")
    (recorded / "cut.txt").unlink()
    ended = invoke("check", "recorded", "--record")
    good, new = manifest(recorded)["recordings"]

    assert (good["what"], good["finish_reason"], good["value"]["order"]) == ("quotes", "end_turn", 8)
    assert new["file"] == "a.txt"
    lost = '$.lines[0] recorded as "a", now missing; $.lines[1] recorded as 2, now missing'
    assert ended.stdout.splitlines() == [
        "recorded/cut.txt: recorded, but there is no such file",
        f"recorded/good.txt: $.order recorded as 7, now 8; {lost}",
        "recorded/a.txt: nothing is recorded; now read",
        "2 recorded: 1 new, 1 changed, 1 gone.",
    ]


def test_manifest_that_is_right_is_not_written_again(recorded: Path) -> None:
    before = (recorded / MANIFEST).stat()
    ended = invoke("check", "recorded", "--record")

    assert ended.stdout == "2 recorded: 0 new, 0 changed, 0 gone.\n"
    assert (recorded / MANIFEST).stat() == before


def test_number_that_became_true_is_written_though_python_calls_them_equal(recorded: Path) -> None:
    (recorded / "good.txt").write_text('{"order": 7, "lines": [true]}', encoding="utf-8")
    change(recorded, "good.txt", value={"order": 7, "paid": False, "lines": [1]})

    assert "$.lines[0] recorded as 1, now true" in invoke("check", "recorded").stdout
    invoke("check", "recorded", "--record")
    assert invoke("check", "recorded").code == 0


def test_value_that_is_another_one_at_each_reading_cannot_be_recorded(texts: Path) -> None:
    line = one_line_of(invoke("check", "recorded", "--record", "--dto", "shop:Numbered"))

    assert "recorded/good.txt cannot be recorded: $.id is another one at each reading (0, 1)" in line
    assert not (texts / MANIFEST).exists()


def test_order_of_a_set_is_the_same_in_every_process(texts: Path) -> None:
    (texts / "good.txt").write_text(json.dumps({"tags": list("hgfedcba")}), encoding="utf-8")
    (texts / "cut.txt").unlink()
    run("check", "recorded", "--record", "--dto", "shop:Tagged", cwd=texts.parent, PYTHONHASHSEED="1")

    assert run("check", "recorded", cwd=texts.parent, PYTHONHASHSEED="2").code == 0
    assert manifest(texts)["recordings"][0]["value"]["tags"] == list("abcdefgh")


def test_nothing_is_written_where_one_text_cannot_be_recorded(texts: Path) -> None:
    (texts / "z").mkdir()
    (texts / "z/latin.txt").write_bytes(b"\xe9")
    line = one_line_of(invoke("check", "recorded", "--record"))

    assert "recorded/z/latin.txt is not UTF-8: byte 0xe9 at offset 0" in line
    assert list(texts.rglob(MANIFEST)) == []


def test_characters_that_no_utf8_holds_survive_the_recording(texts: Path) -> None:
    (texts / "good.txt").write_text('{"a": "\\ud800\\u0000", "big": 1e999}', encoding="utf-8")
    invoke("check", "recorded", "--record")

    assert invoke("check", "recorded").code == 0


# --- what is not as recorded ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"order": 8, "lines": ["a", 2]}', "$.order recorded as 7, now 8"),
        ('{"order": 7, "lines": ["a", 2, 3]}', "$.lines[2] is not recorded, now 3"),
        ('{"order": 7, "lines": ["a"]}', "$.lines[1] recorded as 2, now missing"),
        ('{"order": 8, "paid": true, "lines": [1, 2, 3]}', '$.lines[0] recorded as "a", now 1; and more'),
        ('{"order": "seven"}', "recorded as read; now refused at validate: $.order: Input should be a valid integer"),
    ],
)
def test_text_that_reads_otherwise_fails_with_the_places_that_differ(recorded: Path, text: str, line: str) -> None:
    (recorded / "good.txt").write_text(text, encoding="utf-8")
    ended = invoke("check", "recorded")
    first, last = ended.stdout.splitlines()

    assert (ended.code, ended.stderr) == (4, "")
    assert first.startswith("recorded/good.txt: ")
    assert line in first
    assert last == "2 recordings: 1 not as recorded, 0 without a recorded outcome."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"order": 7}', "recorded as refused at repair; now read"),
        ("no JSON", "recorded as refused at repair; now refused at extract: no JSON object in the text"),
    ],
)
def test_refusal_is_held_to_its_stage(recorded: Path, text: str, line: str) -> None:
    (recorded / "cut.txt").write_text(text, encoding="utf-8")
    ended = invoke("check", "recorded")

    assert (ended.code, ended.stdout.splitlines()[0]) == (4, f"recorded/cut.txt: {line}")


def test_findings_are_sorted_by_name_and_the_same_at_every_run(recorded: Path) -> None:
    for name in ("b/2.txt", "b/10.txt", "a/1.txt"):
        (recorded / name).parent.mkdir(exist_ok=True)
        (recorded / name).write_text("{}", encoding="utf-8")
    shown = [invoke("check", "recorded", "recorded/b").stdout for _ in range(2)]

    assert shown[0] == shown[1]
    assert [line.partition(":")[0] for line in shown[0].splitlines()[:-1]] == [
        "recorded/a/1.txt",
        "recorded/b/10.txt",
        "recorded/b/2.txt",
    ]


def test_json_names_the_problems_and_the_places(recorded: Path) -> None:
    (recorded / "good.txt").write_text(json.dumps({"order": 7, "lines": list(range(99))}), encoding="utf-8")
    (recorded / "cut.txt").unlink()
    ended = invoke("check", "recorded", "--format", "json")
    data = json.loads(ended.stdout)
    gone, different = data["findings"]

    assert (ended.code, data["recordings"]) == (4, 2)
    assert (gone["file"], gone["problem"], gone["stage"]) == ("recorded/cut.txt", "no_file", None)
    assert different["differences"][0] == {"path": "$.lines[0]", "recorded": '"a"', "read": "0"}
    assert len(different["differences"]) == MOST_DIFFERENCES


def test_json_of_a_refusal_has_both_stages_and_the_reason(recorded: Path) -> None:
    (recorded / "cut.txt").write_text("none", encoding="utf-8")
    (finding,) = json.loads(invoke("check", "recorded", "--format", "json").stdout)["findings"]

    assert (finding["problem"], finding["recorded_stage"], finding["stage"]) == ("other_stage", "repair", "extract")
    assert finding["reason"] == "no JSON object in the text"


def test_names_and_values_of_a_stranger_are_shown_and_not_obeyed(texts: Path) -> None:
    (texts / "\x1b[2J\n.txt").write_text('{"a": "\\u001b[31m\\n"}', encoding="utf-8")
    invoke("check", "recorded", "--record")
    (texts / "\x1b[2J\n.txt").write_text('{"a": "\\u202e"}', encoding="utf-8")
    shown = invoke("check", "recorded").stdout

    assert len(shown.splitlines()) == 2
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.skipif(sys.platform != "linux", reason="only there a file's name may be any bytes")
def test_name_that_is_no_utf8_is_checked_too(texts: Path) -> None:
    Path(os.fsdecode(os.fsencode(texts) + b"/\xff.txt")).write_text("{}", encoding="utf-8")
    invoke("check", "recorded", "--record")

    assert invoke("check", "recorded").stdout == "3 recordings: all as recorded.\n"


# --- what cannot be checked -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("shop.py",), "cannot read the folder shop.py: Not a directory"),
        (("empty",), "there are no recorded outputs in empty"),
        (("recorded", "emptied"), "there are no recorded outputs in emptied"),
        (("recorded", "--finish-reason", "stop"), "go with --record"),
        (("recorded", "--coerce"), "go with --record"),
        (("recorded", "--coerce", "--record"), "--coerce needs --agent or --dto"),
        (("recorded", "--record", "--agent", "verdict", "--dto", "shop:Order"), "exclude each other"),
    ],
)
def test_call_that_cannot_be_is_a_usage_error_of_one_line(
    texts: Path, folder: Path, arguments: tuple[str, ...], why: str
) -> None:
    (folder / "empty").mkdir()
    (folder / "emptied").mkdir()
    (folder / "emptied" / MANIFEST).write_text("{}", encoding="utf-8")

    assert why in one_line_of(invoke("check", *arguments))
    assert not (texts / MANIFEST).exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is no manifest of recordings: Expecting property name"),
        ("[]", "is no manifest of recordings: $: Input should be a valid dictionary"),
        ('{"x": 1}', "$.x: Extra inputs are not permitted"),
        ('{"recordings": [{"what": "x"}]}', "$.recordings[0].file: Field required"),
        ('{"recordings": [{"file": "../a.txt"}]}', "it is no name of a file in this folder"),
        ('{"recordings": [{"file": ".."}]}', "it is no name of a file in this folder"),
        ('{"recordings": [{"file": "a\\u0000"}]}', "it is no name of a file in this folder"),
        ('{"recordings": [{"file": "a", "value": 1, "refused": "x"}]}', "it has a value and is refused"),
        ('{"recordings": [{"file": "a"}, {"file": "a"}]}', "'a' is there twice"),
        ('{"agent": "nobody"}', "recorded/manifest.json: there is no agent 'nobody'"),
        ('{"agent": "verdict", "dto": "shop:Order"}', "recorded/manifest.json: --agent, --dto and --schema exclude"),
        ('{"coerce": true}', "recorded/manifest.json: --coerce needs --agent or --dto"),
        ('{"schema": "none.json"}', "recorded/manifest.json: there is no file recorded/none.json"),
        ("[" * 100_000, "is no manifest of recordings: "),
        ("1" * 5000, "is no manifest of recordings: "),
    ],
)
def test_damaged_manifest_is_a_usage_error_of_one_line(texts: Path, text: str, why: str) -> None:
    (texts / MANIFEST).write_text(text, encoding="utf-8")

    assert why in one_line_of(invoke("check", "recorded"))


def test_links_to_folders_and_hidden_files_are_left_out(recorded: Path) -> None:
    (recorded / "loop").symlink_to(recorded, target_is_directory=True)
    (recorded / ".hidden").write_text("x", encoding="utf-8")
    (recorded / ".git").mkdir()
    (recorded / ".git/x").write_text("x", encoding="utf-8")

    assert invoke("check", "recorded").stdout == "2 recordings: all as recorded.\n"


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
