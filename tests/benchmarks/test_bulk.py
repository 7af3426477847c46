"""The command prints every table from what is there; the page says how to print it."""

import re
from pathlib import Path

import pytest

from tools.benchmarks import bulk
from tools.benchmarks.bulk_runs import LOOPS, OURS, ROOT, Took, bare_loop, batch, loops, write_lines

PAGE = ROOT / "docs/explanation/bulk.md"
LINES = [b'{"text": "{\\"a\\": 1,}"}\n', b'{"text": "{\\"a\\": 1}"}\n', b'{"text": "no object"}\n']

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").is_file(), reason="memory is read from /proc, which is Linux's"
)


def batch_of_what_is_looked_at(file: Path, workers: int, *, sampled: bool = False) -> Took:
    """A run over the files of which a row is looked at; of the others, which only a difference is made of, a loop."""
    is_looked_at = file.name in {"all.jsonl", "repeated.jsonl"}
    return batch(file, workers, sampled=sampled) if is_looked_at else bare_loop(OURS, file)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints of a small input."""
    monkeypatch.setattr(bulk, "_pool", lambda: LINES)
    monkeypatch.setattr(bulk, "loops", lambda name, files: [bare_loop(name, file) for file in files])
    monkeypatch.setattr(bulk, "batch", batch_of_what_is_looked_at)
    assert bulk.main(["--repeats", "1", "--texts", "6", "--sizes", "1KB"]) == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_command_prints_what_each_way_reads_and_the_memory_of_all_processes(printed: str) -> None:
    for way in ("decode_llm_json", "batch, 1 worker", "batch, 2 workers"):
        assert re.search(rf"^\| {way} \|.*\| 4 of 6 \|$", printed, re.MULTILINE)
    assert re.search(r"^\| 1KB \| 44 \| \d+ MiB \| \d+ \|$", printed, re.MULTILINE)
    assert len(re.findall(r"MISSED|as promised", printed)) == 3


def test_page_names_the_command_and_has_its_tables() -> None:
    page = PAGE.read_text("utf-8")
    assert ".cache/bench/bin/python -m tools.benchmarks.bulk" in page
    assert [name for name in LOOPS if f"| {name} |" not in page] == []


def test_file_is_as_large_as_asked_for_and_ends_with_a_whole_line(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    write_lines(file, LINES, 100)
    *before, last = file.read_bytes().splitlines(keepends=True)
    assert sum(map(len, before)) < 100 <= file.stat().st_size
    assert last in LINES


def test_loops_run_side_by_side_each_in_a_process_of_its_own(tmp_path: Path) -> None:
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for file, lines in zip(files, (LINES, LINES[2:]), strict=True):
        file.write_bytes(b"".join(lines))
    assert [(took.texts, took.read) for took in loops(OURS, files)] == [(3, 2), (1, 0)]


def test_bare_loop_counts_what_it_reads(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_bytes(b"".join(LINES))
    took = bare_loop("decode_llm_json", file)
    assert (took.texts, took.read) == (3, 2)
