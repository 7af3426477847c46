"""`llm-output batch`: every row in exactly one of the two outputs, in the order of the inputs."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import CLEAN_VERDICT, Ended, invoke, run

TOUCHY = "tests.entrypoints.cli.batch_types:Touchy"


def written(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()]


@pytest.fixture(scope="module")
def touched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """A run over texts that do all kinds of harm, between texts that do none."""
    folder = tmp_path_factory.mktemp("touchy")
    harm = ("", "exit", "", "crash", "sleep", "", "grow", "")
    source = written(folder / "in.jsonl", *({"text": json.dumps({"do": do}), "id": do or "good"} for do in harm))
    ended = invoke(
        "batch", source, "--out", str(folder / "out"), "--dto", TOUCHY, "--text-timeout", "1", "--workers", "2"
    )
    return ended, folder / "out"


def test_texts_that_do_no_harm_are_read_among_those_that_do(touched: tuple[Ended, Path]) -> None:
    ended, folder = touched
    assert ended.code == ExitCode.OK
    assert [line["id"] for line in lines(folder, "parsed")] == ["good"] * 4


@pytest.mark.parametrize(
    ("harm", "told"),
    [("exit", "exit code 3"), ("crash", "SIGSEGV"), ("sleep", "longer than 1"), ("grow", "MemoryError")],
)
def test_text_that_does_harm_is_refused_with_the_reason(touched: tuple[Ended, Path], harm: str, told: str) -> None:
    (line,) = [line for line in lines(touched[1], "refused") if line["id"] == harm]
    assert told in line["message"]


def test_what_a_type_prints_goes_nowhere(touched: tuple[Ended, Path]) -> None:
    assert "printed" not in touched[0].stdout + touched[0].stderr


def test_rows_are_read_into_the_type_of_their_agent(tmp_path: Path, out: Path) -> None:
    verdict = Path(CLEAN_VERDICT).read_text()
    source = written(tmp_path / "in.jsonl", {"text": verdict, "agent": "verdict"}, {"text": "{}", "agent": "verdict"})
    invoke("batch", source, "--out", str(out))
    assert "action" in lines(out, "parsed")[0]["data"]
    assert [line["stage"] for line in lines(out, "refused")] == ["validate"]


def test_agent_is_a_name_to_count_by_where_an_option_names_the_type(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", {"text": '{"do": "it"}', "agent": "planner"})
    ended = invoke("batch", source, "--out", str(out), "--dto", TOUCHY)
    assert lines(out, "parsed")[0]["data"] == {"do": "it"}
    assert "planner" in ended.stderr


def test_type_in_the_current_directory_is_found_by_the_workers(tmp_path: Path, out: Path) -> None:
    (tmp_path / "shop.py").write_text("from pydantic import BaseModel\nclass Order(BaseModel):\n    number: int\n")
    source = written(tmp_path / "in.jsonl", {"text": '{"number": 7}'})
    run("batch", source, "--out", str(out), "--dto", "shop:Order", cwd=tmp_path)
    assert lines(out, "parsed")[0]["data"] == {"number": 7}


def test_answers_that_are_one_value_are_read_where_that_is_asked_for(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", {"text": "The answer is 7."}, {"text": "about 7"})
    invoke("batch", source, "--out", str(out), "--dto", "tests.entrypoints.cli.batch_types:Number", "--scalar")
    assert [(line["data"], line["grade"]) for line in lines(out, "parsed")] == [(7, "read")]
    assert [line["stage"] for line in lines(out, "refused")] == ["extract"]


SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}


def test_json_schema_is_a_type(tmp_path: Path, out: Path) -> None:
    schema = written(tmp_path / "order.json", SCHEMA)
    source = written(tmp_path / "in.jsonl", {"text": '{"number": 7,}'}, {"text": '{"number": "seven"}'})
    invoke("batch", source, "--out", str(out), "--schema", schema)
    assert [line["data"] for line in lines(out, "parsed")] == [{"number": 7}]
    assert [line["stage"] for line in lines(out, "refused")] == ["validate"]


def test_run_with_a_changed_schema_is_another_one(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", {"text": '{"number": 7}'})
    command = ("batch", source, "--out", str(out), "--schema", written(tmp_path / "order.json", SCHEMA))
    invoke(*command)
    written(tmp_path / "order.json", {**SCHEMA, "title": "Order"})
    ended = invoke(*command, "--resume")
    assert (ended.code, "the run in it is another one: schema is" in ended.stderr) == (ExitCode.USAGE, True)


def test_good_parts_are_kept_and_the_others_named(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", {"text": '{"rows": [1, "x", 3]}'}, {"text": '{"rows": [1, 2'})
    rows = "tests.entrypoints.cli.batch_types:Rows"
    invoke("batch", source, "--out", str(out), "--dto", rows, "--keep", "good", "--workers", "1")
    read = lines(out, "parsed")
    assert [line["data"] for line in read] == [{"rows": [1, 3]}, {"rows": [1]}]
    assert [(part["path"], part["column"]) for line in read for part in line["left_out"]] == [
        ("$.rows[1]", 14),
        ("$.rows[1]", 14),
    ]
    summary = json.loads((out / "summary.json").read_bytes())
    assert (summary["left_out"], summary["options"]["keep"]) == (2, "good")


def test_places_of_values_are_written_where_they_are_asked_for(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", {"text": "x {'a': [1]}"}, {"text": '{"score": 1}', "agent": "nobody"})
    for folder, options in ((out, ["--spans"]), (tmp_path / "without", [])):
        invoke("batch", source, "--out", str(folder), "--workers", "1", *options)

    assert [row["spans"] for row in lines(out, "parsed")] == [{"$": [2, 12], "$.a": [8, 11], "$.a[0]": [9, 10]}]
    assert "spans" not in lines(tmp_path / "without", "parsed")[0]
    refused = invoke("batch", source, "--out", str(out), "--resume")
    assert "spans is None, not True" in refused.stderr
