"""`llm-output batch` over every kind of input: the outputs have as many lines as the inputs have rows."""

import gzip
import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.reparsing.infrastructure.sources import first_rows
from src.modules.reparsing.infrastructure.sources.first_rows import ROWS_LOOKED_AT
from tests.entrypoints.cli.harness import PROGRAM, Ended, environment, invoke
from tests.processes import LIMIT, ending


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def batch(*arguments: str, text: str | bytes = "") -> Ended:
    return invoke("batch", *arguments, "--out", "out", "--workers", "1", text=text)


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("out", f"{name}.jsonl").read_bytes().splitlines()]


def outcomes(field: str = "id") -> tuple[list[Any], list[Any]]:
    """What was read and what was refused, by a field."""
    return [line[field] for line in lines("parsed")], [line[field] for line in lines("refused")]


def json_lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def table(path: str, *texts: object) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE answers (id, text)")
        database.executemany("INSERT INTO answers VALUES (?, ?)", [(f"db{n}", text) for n, text in enumerate(texts, 1)])
        database.commit()


def every_kind() -> list[str]:
    """Inputs of every kind, each with a text that is read, an empty one and one that is not UTF-8."""
    Path("a.jsonl").write_bytes(b'{"id": "l1", "text": "{}"}\n{"id": "l2", "text": ""}\n{"id": "l3", "text": "\xff"}\n')
    Path("a.jsonl.gz").write_bytes(gzip.compress(b'{"id": "z1", "text": "{}"}\n\n{"id": "z2"}\nno JSON\n'))
    Path("a.csv").write_bytes(b'id,text\nc1,"{""a"":\n1}"\nc2,\nc3,\xff\nshort\n')
    pq.write_table(pa.table({"id": ["p1", "p2", "p3"], "text": [b"{}", None, b"\xff"]}), "a.parquet")
    table("a.db", "{}", None, b"\xff", 7)
    Path("texts").mkdir()
    for name, content in (("1", b"{}"), ("2", b""), ("3", b"\xff")):
        Path("texts", name).write_bytes(content)
    return ["a.jsonl", "a.jsonl.gz", "a.csv", "a.parquet", "sqlite:///a.db?table=answers", "texts", "-"]


def test_every_row_of_inputs_of_every_kind_is_in_one_of_the_outputs_for_any_number_of_workers() -> None:
    inputs, text = every_kind(), json_lines({"id": "s1", "text": "{}"}, {"id": "s2", "text": ""})
    assert batch(*inputs, text=text).code == ExitCode.OK
    read, _ = outcomes()
    assert read == ["l1", "z1", "c1", "p1", "db1", "texts/1", "s1"]
    assert {line["id"]: line["stage"] for line in lines("refused")} == {
        **dict.fromkeys(["l2", "c2", "p2", "db2", "texts/2", "s2"], "empty"),
        **dict.fromkeys(["a.jsonl:3", "z2", "a.jsonl.gz:4", "c3", "a.csv:6", "p3", "db3", "db4", "texts/3"], "input"),
    }
    invoke("batch", *inputs, "--out", "two", "--workers", "2", text=text)
    for name in ("parsed.jsonl", "refused.jsonl"):
        assert Path("two", name).read_bytes() == Path("out", name).read_bytes()


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "sqlite:///a.db?table=answers", "-"])
@pytest.mark.parametrize("option", ["--text-field", "--finish-field"])
def test_field_that_is_in_no_row_ends_the_run_before_it_begins_with_the_fields_there_are(
    name: str, option: str
) -> None:
    every_kind()
    ended = batch(name, option, "complition", text=json_lines(*[{"id": 1, "text": "{}"}] * 5))
    assert ended.code == ExitCode.USAGE
    assert f"there is no field 'complition' in the first rows, which have id, text; name the field with {option}" in (
        ended.stderr
    )
    assert not Path("out").exists()


def test_field_is_looked_for_in_a_thousand_rows() -> None:
    rows = [{"other": n} for n in range(ROWS_LOOKED_AT)]
    Path("at.jsonl").write_text(json_lines(*rows[1:], {"text": "{}"}))
    Path("behind.jsonl").write_text(json_lines(*rows, {"text": "{}"}))
    assert batch("behind.jsonl").code == ExitCode.USAGE
    assert batch("at.jsonl").code == ExitCode.OK


def test_field_is_looked_for_in_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_rows, "BYTES_LOOKED_AT", 10)
    Path("a.jsonl").write_text(json_lines({"other": "{}"}, {"text": "{}"}))
    assert batch("a.jsonl").code == ExitCode.USAGE


def test_input_that_breaks_off_among_the_first_rows_is_told_as_one() -> None:
    Path("a.csv").write_text('id,other\n1,x\n2,"never closed\n')
    assert "quote" in batch("a.csv").stderr


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "there are no rows in the inputs"),
        (b"\n\n", "there are no rows in the inputs"),
        (b"\xff\xfe\x00\n" * 3, "no text was read; 3 of 3: not UTF-8"),
        (b'{"text": "no"}\n' * 2 + b'{"text": ""}\n', "no text was read; 2 of 3: no JSON object in the text"),
    ],
)
def test_run_that_reads_nothing_ends_with_its_cause_and_a_code_of_its_own(content: bytes, cause: str) -> None:
    Path("a.jsonl").write_bytes(content)
    ended = batch("a.jsonl")
    assert (ended.code, ended.stderr.splitlines()[-1]) == (ExitCode.PARSE_ERROR, f"Error: {cause}")
    assert batch("a.jsonl", "--resume").code == ExitCode.PARSE_ERROR


def test_half_of_a_surrogate_pair_in_a_name_stops_nothing() -> None:
    Path("a.jsonl").write_text(json_lines({"id": "\ud800", "agent": "\udfff", "model": "\ud800", "text": "{}"}) * 2)
    assert batch("a.jsonl", "--dto", "builtins:dict").code == ExitCode.OK
    assert outcomes() == (["\ud800"] * 2, [])


def test_standard_input_of_a_pipe_is_read_as_it_comes() -> None:
    command = [*PROGRAM, "batch", "-", "--out", "out", "--workers", "1"]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())  # noqa: S603
    with ending(started) as process:
        assert process.stdin
        for number in range(3):
            process.stdin.write(json_lines({"id": number, "text": "{}"}).encode())
            process.stdin.flush()
        process.stdin.close()
        assert process.wait(LIMIT) == ExitCode.OK
    assert outcomes() == (["0", "1", "2"], [])
