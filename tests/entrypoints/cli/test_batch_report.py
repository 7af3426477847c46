"""The files that `llm-output batch` leaves for programs and for people, and the tables on stderr."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.batch_view import PAGE, SUMMARY
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.one_line import well_formed
from tests.entrypoints.cli.harness import invoke
from tests.entrypoints.cli.test_batch import lines, written
from tests.entrypoints.reports.batch_runs import HOSTILE

ROWS = [
    {"id": "good", "text": '{"a": 1}', "model": "m-1", "time": "2026-11-23T09:30:00Z"},
    {"id": "mended", "text": "{'a': 1}", "model": "m-1", "time": "2026-11-23T11:30:00Z"},
    {"id": "cut", "text": '{"a": "half a sen', "model": "m-2", "time": "2026-11-23T11:31:00Z"},
    {"id": "prose", "text": "I cannot do that.", "model": "m-2"},
]


def summary(out: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((out / SUMMARY).read_text(encoding="utf-8"))
    return data


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """An input and what a run made of it."""
    folder = tmp_path_factory.mktemp("read")
    source = written(folder / "in.jsonl", *ROWS)
    invoke("batch", source, "--out", str(folder / "out"), "--workers", "1")
    return source, folder / "out"


@pytest.fixture
def finished(read: tuple[str, Path], out: Path) -> tuple[str, ...]:
    """The command of a run that is finished in `out`."""
    shutil.copytree(read[1], out)
    return ("batch", read[0], "--out", str(out))


def test_summary_depends_on_the_inputs_and_the_options_alone_but_for_its_timing(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", *ROWS * 30)
    for workers in ("1", "2"):
        invoke("batch", source, "--out", str(tmp_path / workers), "--workers", workers)
    one, two = (summary(tmp_path / workers) for workers in ("1", "2"))
    assert one.pop("timing") != two.pop("timing")
    assert one == two


def test_report_of_a_finished_run_is_made_again(finished: tuple[str, ...], out: Path) -> None:
    before = summary(out)
    for name in (SUMMARY, PAGE):
        (out / name).unlink()
    invoke(*finished, "--resume")
    after = summary(out)
    assert after["timing"]["start"] is None
    assert {**before, "timing": None} == {**after, "timing": None}
    assert "4 条文本" in (out / PAGE).read_text(encoding="utf-8")


def test_report_that_cannot_be_written_is_told_in_a_line_and_the_outputs_are_there(
    finished: tuple[str, ...], out: Path
) -> None:
    (out / PAGE).unlink()
    (out / PAGE).mkdir()
    ended = invoke(*finished, "--resume")
    assert ended.code == ExitCode.USAGE
    assert "the outcomes are complete, but the report cannot be written" in ended.stderr


def test_tables_tell_the_outcomes_the_reasons_and_where_the_report_is(tmp_path: Path, out: Path) -> None:
    rows = [{**ROWS[number % 4], "agent": f"agent-{number:02}"} for number in range(20)]
    command = (
        "batch",
        written(tmp_path / "in.jsonl", *rows),
        "--out",
        str(out),
        "--dto",
        "tests.entrypoints.cli.batch_types:Touchy",
    )
    told = invoke(*command, columns=200).stderr
    assert "12 others" in told
    assert "5 (25.0%)" in told
    assert "the text is cut off here" in told
    assert str(out / PAGE) in told


def test_table_of_reasons_says_in_words_what_is_wrong_and_where_first(tmp_path: Path, out: Path) -> None:
    texts = ('{"order": 1} or {"order": 2}', '{"order": "x"}', '{"order": "y"}')
    path = written(tmp_path / "in.jsonl", *({"text": text} for text in texts))
    dto = "tests.entrypoints.cli.batch_types:Ordered"

    told = invoke("batch", path, "--out", str(out), "--dto", dto, columns=400).stderr

    rows = [" ".join(line.split()) for line in told.splitlines()]
    assert f"2 (66.7%) validate $.order: not a whole number {path}:2" in rows
    assert f"1 (33.3%) extract several different objects, none marked as the answer {path}:1" in rows


def test_row_that_is_hostile_in_every_field_takes_no_effect(tmp_path: Path, out: Path) -> None:
    fields = ("id", "agent", "model", "time", "finish_reason", "text")
    source = written(tmp_path / "in.jsonl", *({**dict.fromkeys(fields, HOSTILE), "n": n} for n in range(3)))
    ended = invoke("batch", source, "--out", str(out))
    assert (ended.code, len(lines(out, "refused"))) == (ExitCode.PARSE_ERROR, 3)
    assert not set(ended.stderr) & set("\x1b\u202e\u2028\ud800")
    assert summary(out)["by_agent"][0]["name"] == well_formed(HOSTILE)
    assert "<script" not in (out / PAGE).read_text(encoding="utf-8")


def test_input_whose_name_is_not_utf8_is_read(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "\udcff.jsonl", *ROWS)
    assert invoke("batch", source, "--out", str(out)).code == ExitCode.OK
    assert summary(out)["inputs"][0]["name"] == source
