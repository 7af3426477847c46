"""The numbers on the pool: texts a second, the reader alone, and texts that take too long."""

import gzip
import json
from pathlib import Path

import pytest

from tools.benchmarks import pool
from tools.benchmarks.documents import KB
from tools.benchmarks.pool import MOST, beside_decoder, in_reader, main, most, slow, told

TEXTS = ['{"a": 1}', '{"a": 1,}', "{'a': 1}", "none", '{"a": 1 2}']


def test_only_texts_that_come_to_the_reader_count_for_it() -> None:
    found = in_reader(TEXTS)
    assert {name: len(seconds) for name, seconds in found.items()} == {"read": 2, "refused": 1}
    assert all(0 < each < 1 for seconds in found.values() for each in seconds)


def test_clean_wrapped_and_refused_texts_are_told_apart() -> None:
    lines = beside_decoder([*TEXTS, 'Here it is: {"a": 1}', "[1]"])
    assert [line.split(" texts")[0].split() for line in lines] == [
        ["clean", "2"],
        ["wrapped", "1"],
        ["clean,", "typed", "1"],
        ["refused", "2"],
    ]
    assert [" x " in line for line in lines] == [True, True, True, False]


def test_times_are_told_in_microseconds() -> None:
    assert told([1e-6, 2e-6, 9e-6]) == "3 texts, median 2, average 4, most 9 µs"
    assert told([]) == "no text"


def test_text_may_take_longer_the_longer_it_is() -> None:
    assert most("x") == MOST
    assert most("x" * 20 * KB) == 2 * MOST


def test_what_takes_too_long_is_read_again_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a": "{}", "b": "{}", "c": "{}"}
    monkeypatch.setattr(pool, "_seconds", lambda *_: 2 * MOST)
    assert (
        slow({"a": 3 * MOST, "b": MOST / 2, "c": MOST}, texts)
        == "1 texts take more than 5 ms for each 10 KB: a 10.0 ms"
    )
    monkeypatch.setattr(pool, "_seconds", lambda *_: MOST / 2)
    assert slow({"a": 3 * MOST}, texts) == "no text takes more than 5 ms for each 10 KB"


def test_command_prints_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pool, "CORPUS", tmp_path)
    assert main([]) == 1
    with gzip.open(tmp_path / "pool_30k.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": f"t{at}", "text": text}) + "\n" for at, text in enumerate(TEXTS))
    assert main(["--count", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "there is no" in lines[0]
    assert [line.split("  ")[0] for line in lines if "in the reader" in line] == [
        "in the reader, read",
        "in the reader, refused",
    ]
    assert "each 10 KB" in lines[-1]
