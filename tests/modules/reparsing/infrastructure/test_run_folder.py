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


def parsed(number: int, data: object = 1) -> bytes:
    line = {"place": f"a:{number}", "id": str(number), "agent": None, "data": data}
    sure = {"repairs": [{"kind": "comment", "line": 1, "column": 2}], "grade": "read", "left_out": []}
    return json.dumps({**line, **sure}).encode() + b"\n"


def result(source: int, number: int, **outputs: bytes) -> PartResult:
    lines = [Line(name, content) for name, content in outputs.items()]
    return PartResult(PartId(source, number), 0, f"{source}:{number}", Outcomes(lines, ONE))


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run that has begun."""
    begun = folder(tmp_path)
    begun.begin(RUN, resume=False)
    return begun


def test_parts_are_joined_in_the_order_of_the_rows(run: RunFolder, tmp_path: Path) -> None:
    for source, number in ((1, 0), (0, 10), (0, 9), (0, 2)):
        run.commit(result(source, number, parsed=f"{source}.{number}\n".encode()))
    run.finish()
    assert (tmp_path / "parsed.jsonl").read_text().split() == ["0.2", "0.9", "0.10", "1.0"]


def test_outputs_are_there_also_where_they_are_empty(run: RunFolder, tmp_path: Path) -> None:
    run.finish()
    assert (tmp_path / "parsed.jsonl").read_bytes() == (tmp_path / "refused.jsonl").read_bytes() == b""


def test_comparisons_are_an_output_where_there_are_any(tmp_path: Path) -> None:
    run = folder(tmp_path, compares=True)
    run.begin(RUN, resume=False)
    run.commit(result(0, 0, compared=b"{}\n"))
    run.finish()
    assert (tmp_path / "compared.jsonl").read_bytes() == b"{}\n"


def test_finished_run_has_the_tally_of_the_whole_and_no_parts(run: RunFolder, tmp_path: Path) -> None:
    assert run.finished() is None
    run.commit(result(0, 0))
    run.commit(result(0, 1))
    assert run.finish() == run.finished() == Tally(Counter(texts=2, clean=2))
    assert not (tmp_path / "parts").exists()


def test_resumed_run_knows_the_parts_that_are_done(run: RunFolder, tmp_path: Path) -> None:
    run.commit(result(0, 3))
    run.close()
    assert folder(tmp_path).begin(RUN, resume=True) == {PartId(0, 3): "0:3"}


def test_part_that_was_not_written_to_its_end_is_not_done(run: RunFolder, tmp_path: Path) -> None:
    run.close()
    half = tmp_path / "parts" / ".0-0"
    half.mkdir()
    (half / "parsed.jsonl").write_text("half")
    assert folder(tmp_path).begin(RUN, resume=True) == {}
    assert not half.exists()


def test_resuming_where_nothing_is_begins_a_run(tmp_path: Path) -> None:
    assert folder(tmp_path / "new").begin(RUN, resume=True) == {}


def test_run_is_not_begun_twice_in_a_folder(run: RunFolder, tmp_path: Path) -> None:
    run.close()
    with pytest.raises(BatchFolderError, match="go on with --resume"):
        folder(tmp_path).begin(RUN, resume=False)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"inputs": []}, "inputs -, not a.jsonl"),
        ({"inputs": [{"name": "b.jsonl"}]}, "inputs b.jsonl, not a.jsonl"),
        ({"inputs": [{"name": "a.jsonl", "size": 2}]}, "a.jsonl changed (size)"),
        ({"options": {"agent": "verdict", "format": "parquet"}}, "format is 'parquet', not 'jsonl'"),
        (
            {"options": {"format": "jsonl", "dto": "m:C"}},
            "agent is None, not 'verdict'; dto is 'm:C', not None",
        ),
    ],
)
def test_other_run_is_not_resumed_and_the_difference_is_told(
    run: RunFolder, tmp_path: Path, changes: dict[str, object], why: str
) -> None:
    run.close()
    with pytest.raises(BatchFolderError) as caught:
        folder(tmp_path).begin(RUN | changes, resume=True)
    assert f"the run in it is another one: {why}" in caught.value.message


@pytest.mark.parametrize("manifest", ["{", "[]", "{}"])
def test_manifest_that_is_none_is_told(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(BatchFolderError, match=r"manifest\.json cannot be read"):
        folder(tmp_path).begin(RUN, resume=True)


def test_tally_of_another_version_is_told(run: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "tally.json").write_text('{"counts": {"clean": "many"}}')
    with pytest.raises(BatchFolderError, match=r"tally\.json cannot be read: 1 validation error for Tally"):
        run.finished()


def test_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BatchFolderError, match="holds no run"):
        folder(tmp_path).begin(RUN, resume=True)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == ["thesis.txt"]


@pytest.mark.usefixtures("run")
def test_folder_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(BatchFolderError, match="another process is running in it"):
        folder(tmp_path).begin(RUN, resume=True)


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BatchFolderError, match="cannot be written"):
        folder(tmp_path / "file" / "run").begin(RUN, resume=False)


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
    run = folder(tmp_path, "parquet")
    run.begin(RUN, resume=False)
    run.commit(result(0, 0, parsed=parsed(1, {"a": "中"}) + parsed(2, "\ud83d")))
    run.finish()
    first, second = pq.read_table(tmp_path / "parsed.parquet").to_pylist()
    assert first == json.loads(parsed(1)) | {"data": '{"a": "中"}'}
    assert second["data"] == '"\\ud83d"'


def test_tally_with_half_of_a_surrogate_pair_is_kept(run: RunFolder) -> None:
    tally = Tally(largest=[Measured(1, "a:1", "id \ud800")], by_agent={"\udfff": Counter(clean=1)})
    run.commit(result(0, 0)._replace(outcomes=Outcomes([], tally)))
    assert run.finish() == Tally(largest=[Measured(1, "a:1", "id ?")], by_agent={"?": Counter(clean=1)})
