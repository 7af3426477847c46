"""`llm-output parse`, beside its transcripts: where a text comes from, hostile sizes, and files that are written."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel
from rich.cells import cell_len

from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError
from src.shared.infrastructure.parsing.inspection import STAGES
from tests.entrypoints.cli.harness import CLEAN_VERDICT, RECORDINGS, Ended, invoke


class Sale(BaseModel):
    """What `--dto` asks for here."""

    revenue: float = 0


Rating = Literal["BUY", "SELL"]
VERDICT = ("--agent", "verdict")
RATING = ("--dto", f"{__name__}:Rating")


def refusal(file: str) -> str:
    with pytest.raises(CommandError) as caught:
        read_source(file)
    return caught.value.message


# --- one value ---------------------------------------------------------------------------------------------


def test_answer_that_is_one_value_is_read_where_it_is_asked_for() -> None:
    said = "The answer is **BUY**."
    assert invoke("parse", *RATING, "--scalar", text=said).stdout == '"BUY"\n'
    assert " 8 root           one value\n" in invoke("parse", *RATING, "--scalar", "--explain", text=said).stderr
    refused = invoke("parse", *RATING, text=said)
    assert (refused.code, "with scalar=True also an enum" in refused.stderr) == (ExitCode.USAGE, True)


# --- the text ----------------------------------------------------------------------------------------------


def test_no_file_and_a_dash_both_read_stdin_and_a_byte_order_mark_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf" + Path(CLEAN_VERDICT).read_bytes())
    found = [invoke("parse", *VERDICT, *file, text=Path(CLEAN_VERDICT).read_bytes()) for file in ((), ("-",))]

    assert found == [invoke("parse", file, *VERDICT) for file in (CLEAN_VERDICT, str(tmp_path / "bom.txt"))]
    assert (found[0].code, found[0].stderr, json.loads(found[0].stdout)["action"]) == (ExitCode.OK, "", "BUY")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_one_may_not_read_is_a_usage_error(tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.touch(mode=stat.S_IWUSR)

    assert refusal(str(file)) == f"cannot read {file}: Permission denied"


def test_stdin_that_is_closed_or_cannot_be_read_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal("-") == "stdin is closed; name a file"
    with (tmp_path / "out").open("w") as open_for_writing:
        monkeypatch.setattr(sys, "stdin", open_for_writing)
        assert refusal("-").startswith("cannot read stdin")


def test_text_that_takes_longer_than_it_may_is_refused() -> None:
    text = "[" + '{"a": "x "y" z", "b": 1, "c": 2},' * 2_000 + "]"
    ended = invoke("parse", "--dto", f"{__name__}:Sale", "--timeout", "0.001", text=text)

    assert (ended.code, ended.stdout, "0.001" in ended.stderr) == (ExitCode.PARSE_ERROR, "", True)


@pytest.mark.parametrize("arguments", [(), ("--coerce",)])
def test_agents_text_is_read_as_its_parser_reads_it(arguments: tuple[str, ...]) -> None:
    clean = json.loads(Path(CLEAN_VERDICT).read_text(encoding="utf-8"))
    text = json.dumps(clean | {"action": "BUY", "position_percent": 0})  # breaks a rule of the adapter

    ended = invoke("parse", *VERDICT, *arguments, text=text)

    assert (ended.code, json.loads(ended.stdout)["position_percent"]) == (ExitCode.OK, 0)


def test_places_are_named_as_an_editor_takes_them() -> None:
    file = str(RECORDINGS / "resolution/refused.txt")
    ended = invoke("parse", file, "--agent", "resolution")

    assert f"at: {file}:2:1" in ended.stderr
    assert f"at: {file}:17:1" in ended.stderr


def test_every_stage_is_named_in_its_order() -> None:
    lines = invoke("parse", CLEAN_VERDICT, *VERDICT, "--explain").stderr.splitlines()
    numbered = [line.split()[1] for line in lines if line[:2].strip().isdecimal()]

    assert numbered == [stage.__name__ for stage in STAGES]


def test_type_that_is_too_deep_to_serialize_is_an_error_of_one_line(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from typing import Any\nfrom pydantic import BaseModel\nclass A(BaseModel):\n    id: Any"
    )
    ended = invoke("parse", "--dto", "shop:A", text='{"id":' * 400 + "1" + "}" * 400)

    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (ExitCode.USAGE, "", 1)
    assert "cannot be used" in ended.stderr


# --- where the result goes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("output_format", ["json", "table"])
def test_file_gets_what_a_pipe_gets_and_stdout_stays_empty(tmp_path: Path, output_format: str) -> None:
    file, arguments = tmp_path / "result", ("parse", CLEAN_VERDICT, *VERDICT, "--format", output_format)

    assert invoke(*arguments, "-o", str(file)) == Ended(0, "", "")
    assert file.read_text(encoding="utf-8") == invoke(*arguments).stdout


def test_table_takes_no_more_room_than_there_is() -> None:
    file = str(RECORDINGS / "technical_analyst/clean.txt")
    lines = invoke("parse", file, "--agent", "technical_analyst", "--format", "table", columns=70).stdout.splitlines()

    assert max(map(cell_len, lines)) <= 70
    assert any(line.startswith("$.key_technical_levels.support") for line in lines)


def test_file_stays_when_the_text_is_refused_and_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link, new, other = (tmp_path / name for name in ("verdict.json", "link", "new", "other"))
    file.write_text("before", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    other.touch()

    assert invoke("parse", "-o", str(file), text='{"a": 1').code == ExitCode.PARSE_ERROR
    assert file.read_text(encoding="utf-8") == "before"
    for written in (link, new):
        invoke("parse", "-o", str(written), text='{"a": 1}')
    assert (link.is_symlink(), json.loads(file.read_text(encoding="utf-8"))) == (True, {"a": 1})
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert new.stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize("name", ["missing/verdict.json", "folder"])
def test_file_that_cannot_be_written_is_one_line_and_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    ended = invoke("parse", "-o", str(tmp_path / name), text='{"a": 1}')

    assert (ended.code, ended.stderr.count("\n")) == (ExitCode.USAGE, 1)
    assert ended.stderr.startswith("Error: cannot write ")
    assert os.listdir(tmp_path) == ["folder"]  # noqa: PTH208 - hidden ones, too


def test_device_is_written_as_it_is() -> None:
    assert invoke("parse", "-o", os.devnull, text='{"a": 1}').code == ExitCode.OK
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
