"""`llm-output parse`: where the result goes, and how much is told of the reading."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.entrypoints.cli.harness import CLEAN_VERDICT, RECORDINGS, invoke

DAMAGED = "{" + "\n".join(f"'k{n}': {n}," for n in range(15)) + "}"


def test_the_result_goes_to_a_file_and_stdout_stays_empty(tmp_path: Path) -> None:
    file = tmp_path / "verdict.json"

    ended = invoke("parse", CLEAN_VERDICT, "--agent", "verdict", "-o", str(file))

    assert (ended.code, ended.stdout) == (0, "")
    assert file.read_text(encoding="utf-8") == invoke("parse", CLEAN_VERDICT, "--agent", "verdict").stdout


def test_a_table_goes_to_a_file_as_it_goes_to_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "table.txt"

    invoke("parse", "--format", "table", "--output", str(file), text='{"a": 1}')

    assert file.read_text(encoding="utf-8") == invoke("parse", "--format", "table", text='{"a": 1}').stdout


def test_a_file_stays_as_it_was_when_the_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "verdict.json"
    file.write_text("before", encoding="utf-8")

    assert invoke("parse", "-o", str(file), text='{"a": 1').code == 1
    assert file.read_text(encoding="utf-8") == "before"


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "verdict.json", tmp_path / "link"
    file.write_text("before", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)

    invoke("parse", "-o", str(link), text='{"a": 1}')

    assert (link.is_symlink(), json.loads(file.read_text(encoding="utf-8"))) == (True, {"a": 1})
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_any_other_new_file(tmp_path: Path) -> None:
    file, other = tmp_path / "verdict.json", tmp_path / "other"
    other.touch()

    invoke("parse", "-o", str(file), text='{"a": 1}')

    assert file.stat().st_mode == other.stat().st_mode


def test_a_file_that_cannot_be_written_is_one_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    ended = invoke("parse", "-o", str(tmp_path / "missing" / "verdict.json"), text='{"a": 1}')

    assert (ended.code, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith("Error: cannot write ")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_folder_in_the_files_place_is_one_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    ended = invoke("parse", "-o", str(tmp_path / "folder"), text='{"a": 1}')

    assert (ended.code, ended.stderr.count("\n")) == (2, 1)
    assert os.listdir(tmp_path) == ["folder"]  # noqa: PTH208 - hidden ones, too


def test_a_device_is_written_as_it_is() -> None:
    assert invoke("parse", "-o", os.devnull, text='{"a": 1}').code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_quiet_says_nothing_of_what_was_repaired() -> None:
    ended = invoke("parse", "-q", text="{'a': 1,}")

    assert (ended.code, ended.stdout, ended.stderr) == (0, '{\n  "a": 1\n}\n', "")


def test_quiet_still_says_what_is_wrong() -> None:
    assert invoke("parse", "--quiet", text="no").stderr.startswith("Error: ")


def test_quiet_still_warns_of_a_text_that_was_cut_off() -> None:
    assert invoke("parse", "--quiet", "--salvage", text='{"a": 1, "b": 2, "c').stderr.startswith("Warning: ")


def test_trace_holds_every_repair_with_its_place() -> None:
    ended = invoke("parse", "--trace", "json", text=DAMAGED)

    trace = json.loads(ended.stderr)
    assert len([one for one in trace["repairs"] if one["kind"] == "single_quote"]) == 15
    assert trace["repairs"][0] == {
        "kind": "single_quote", "line": 1, "column": 2, "offset": 1, "found": "'k0'", "put": '"k0"', "count": 1
    }  # fmt: skip
    assert trace["truncated"] is False


def test_trace_holds_what_the_stages_did() -> None:
    trace = json.loads(invoke("parse", "--trace", "json", str(RECORDINGS / "verdict/wrapped.txt")).stderr)

    assert {"stage", "action", "start", "end"} == set(trace["notes"][0])
    assert trace["notes"][-1]["action"] == "chosen"


def test_trace_of_a_refused_text_holds_the_error() -> None:
    ended = invoke("parse", "--trace", "json", "--agent", "verdict", text="Here:\n```json\n{'action': 1}\n```")

    trace = json.loads(ended.stderr)
    assert (ended.code, trace["error"]["code"]) == (1, "LLM_JSON_PARSE_ERROR")
    assert trace["repairs"][0]["kind"] == "single_quote"


def test_trace_of_the_stages_is_what_explain_shows() -> None:
    explained = invoke("parse", "--explain", text="{'a': 1}").stderr

    assert invoke("parse", "--trace", "stages", text="{'a': 1}").stderr == explained


@pytest.mark.parametrize("options", [("--explain", "--trace", "json"), ("--quiet", "--explain")])
def test_two_options_that_say_how_much_is_told_are_refused(options: tuple[str, ...]) -> None:
    ended = invoke("parse", *options, text="{}")

    assert (ended.code, "exclude each other" in ended.stderr) == (2, True)
