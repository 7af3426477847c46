"""The folder of a run: parts that are there whole or not at all, and outputs in the order of the rows."""

import errno
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # no stubs
import pytest

from src.modules.reparsing.domain.exceptions import BatchFolderError
from src.modules.reparsing.domain.part import Line, Outcomes, PartId, PartResult
from src.modules.reparsing.domain.tally import Measured, Tally
from src.modules.reparsing.infrastructure.run_folder import OutputFormat, RunFolder

RUN = {"inputs": [{"name": "a.jsonl", "size": 1}], "options": {"agent": "verdict", "format": "jsonl"}}
ONE = Tally(Counter(texts=1, clean=1))
_OPENED: list[RunFolder] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Let go of the folders in the end."""
    yield
    while _OPENED:
        _OPENED.pop().close()


def folder(path: Path, output_format: OutputFormat = "jsonl", *, compares: bool = False) -> RunFolder:
    _OPENED.append(RunFolder(path, output_format, compares=compares))
    return _OPENED[-1]


def begun(path: Path, output_format: OutputFormat = "jsonl", *, compares: bool = False) -> RunFolder:
    run = folder(path, output_format, compares=compares)
    assert run.begin(RUN, resume=True) == {}  # where nothing is it begins
    return run


def parsed(number: int, data: object = 1) -> bytes:
    line = {"place": f"a:{number}", "id": str(number), "agent": None, "data": data}
    sure = {"repairs": [{"kind": "comment", "line": 1, "column": 2}], "grade": "read", "left_out": []}
    return json.dumps({**line, **sure}).encode() + b"\n"


def result(source: int, number: int, tally: Tally = ONE, **outputs: bytes) -> PartResult:
    lines = [Line(name, content) for name, content in outputs.items()]
    return PartResult(PartId(source, number), 0, f"{source}:{number}", Outcomes(lines, tally))


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run that has begun."""
    return begun(tmp_path)


def refusal(path: Path, manifest: dict[str, object] | None = None, *, resume: bool = True) -> str:
    with pytest.raises(BatchFolderError) as caught:
        folder(path).begin(manifest or RUN, resume=resume)
    return caught.value.message


def test_parts_are_joined_in_the_order_of_the_rows_and_dropped(tmp_path: Path) -> None:
    run = begun(tmp_path, compares=True)
    assert run.finished() is None
    for source, number in ((1, 0), (0, 10), (0, 9), (0, 2)):
        run.commit(result(source, number, parsed=f"{source}.{number}\n".encode()))
    run.commit(result(2, 0, compared=b"{}\n"))
    assert run.finish() == run.finished() == Tally(Counter(texts=5, clean=5))
    outputs = [(tmp_path / f"{name}.jsonl").read_text().split() for name in ("parsed", "refused", "compared")]
    assert outputs == [["0.2", "0.9", "0.10", "1.0"], [], ["{}"]]
    assert not (tmp_path / "parts").exists()


def test_resumed_run_knows_the_parts_that_were_written_to_their_end(run: RunFolder, tmp_path: Path) -> None:
    run.commit(result(0, 3))
    run.close()
    half = tmp_path / "parts" / ".0-0"
    half.mkdir()
    (half / "parsed.jsonl").write_text("half")
    assert folder(tmp_path).begin(RUN, resume=True) == {PartId(0, 3): "0:3"}
    assert not half.exists()


def test_run_is_not_begun_twice_in_a_folder(run: RunFolder, tmp_path: Path) -> None:
    assert "another process is running in it" in refusal(tmp_path)
    run.close()
    assert "go on with --resume" in refusal(tmp_path, resume=False)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"inputs": []}, "inputs -, not a.jsonl"),
        ({"inputs": [{"name": "b.jsonl"}]}, "inputs b.jsonl, not a.jsonl"),
        ({"inputs": [{"name": "a.jsonl", "size": 2}]}, "a.jsonl changed (size)"),
        ({"options": {"agent": "verdict", "format": "parquet"}}, "format is 'parquet', not 'jsonl'"),
        ({"options": {"format": "jsonl", "dto": "m:C"}}, "agent is None, not 'verdict'; dto is 'm:C', not None"),
    ],
)
def test_other_run_is_not_resumed_and_the_difference_is_told(
    run: RunFolder, tmp_path: Path, changes: dict[str, object], why: str
) -> None:
    run.close()
    assert f"the run in it is another one: {why}" in refusal(tmp_path, RUN | changes)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        *(("manifest.json", text, "manifest.json cannot be read") for text in ("{", "[]", "{}")),
        ("thesis.txt", "mine", "holds no run"),
    ],
)
def test_folder_of_something_else_is_left_alone(tmp_path: Path, name: str, text: str, why: str) -> None:
    (tmp_path / name).write_text(text)
    assert why in refusal(tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir() if path.name != ".lock"] == [text]


def test_tally_of_another_version_is_told(run: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "tally.json").write_text('{"counts": {"clean": "many"}}')
    with pytest.raises(BatchFolderError, match=r"tally\.json cannot be read: 1 validation error for Tally"):
        run.finished()


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refusal(tmp_path / "file" / "run")


def test_full_disk_is_told_and_keeps_what_was_done(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.commit(result(0, 0))

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(BatchFolderError, match="No space left on device"):
            run.commit(result(0, 1))
    run.close()
    assert folder(tmp_path).begin(RUN, resume=True) == {PartId(0, 0): "0:0"}


def test_parquet_has_the_columns_of_the_lines_and_data_as_json(tmp_path: Path) -> None:
    run = begun(tmp_path, "parquet")
    run.commit(result(0, 0, parsed=parsed(1, {"a": "中"}) + parsed(2, "\ud83d")))
    run.finish()
    first, second = pq.read_table(tmp_path / "parsed.parquet").to_pylist()
    assert first == json.loads(parsed(1)) | {"data": '{"a": "中"}'}
    assert second["data"] == '"\\ud83d"'
    assert "spans" not in first


def test_parquet_has_the_places_of_values_as_json_where_the_lines_have_them(tmp_path: Path) -> None:
    run = begun(tmp_path, "parquet")
    row = json.loads(parsed(1)) | {"spans": {"$": [0, 2]}}
    run.commit(result(0, 0, parsed=json.dumps(row).encode() + b"\n"))
    run.finish()
    assert pq.read_table(tmp_path / "parsed.parquet").to_pylist()[0]["spans"] == '{"$": [0, 2]}'


def test_tally_with_half_of_a_surrogate_pair_is_kept(run: RunFolder) -> None:
    tally = Tally(largest=[Measured(1, "a:1", "id \ud800")], by_agent={"\udfff": Counter(clean=1)})
    run.commit(result(0, 0, tally))
    assert run.finish() == Tally(largest=[Measured(1, "a:1", "id ?")], by_agent={"?": Counter(clean=1)})
