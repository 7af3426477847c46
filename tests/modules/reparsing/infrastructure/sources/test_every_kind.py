"""What is alike for inputs of every kind: bounds, what is missing, what is cut off, and how far they are read."""

import gzip
import sqlite3
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.infrastructure.sources import opening
from tests.loopback.object_store import BUCKET
from tests.modules.reparsing.infrastructure.sources.read import places, source, texts, until_error

TEXTS = [str(number) for number in range(1000)]
ROWS = b"".join(b'{"text": "%s"}\n' % text.encode() for text in TEXTS)


INPUTS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))["input"]
SAID = ("not ", "the row ", "there is no field ")
"""How what is said of a row begins."""


def zstd(content: bytes) -> bytes:
    compressed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return compressed


def write_parquet(path: Path) -> None:
    pq.write_table(pa.table({"text": TEXTS}), path, row_group_size=70)


FILES: dict[str, bytes | Callable[[Path], None]] = {
    **{f"a{ending}": ROWS for ending in (".jsonl", ".ndjson", ".json")},
    "a.jsonl.gz": gzip.compress(ROWS),
    "two-members.jsonl.gz": gzip.compress(ROWS[:100]) + gzip.compress(ROWS[100:]),
    "a.jsonl.zst": zstd(ROWS),
    "two-frames.jsonl.zst": zstd(ROWS[:100]) + zstd(ROWS[100:]),
    "frame-to-skip.jsonl.zst": b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + zstd(ROWS),
    "a.parquet": write_parquet,
}


def made(folder: Path, name: str, share: float = 1.0) -> Path:
    """A file, or its beginning; a share below 0 lacks its last byte alone."""
    path, content = folder / name, FILES[name]
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] if share < 0 else whole[: int(len(whole) * share)])
    return path


@pytest.mark.parametrize("name", FILES)
def test_rows_come_in_order_with_their_numbers_and_the_position_reaches_the_length(tmp_path: Path, name: str) -> None:
    path = made(tmp_path, name)
    assert texts(path) == TEXTS
    assert places(path) == [str(number) for number in range(1, 1001)]
    positions = [row.position for row in source(path).rows()]
    assert positions == sorted(positions)
    assert positions[-1] == source(path).total == path.stat().st_size


@pytest.mark.parametrize("row", INPUTS, ids=lambda row: ascii(row["content"])[:40])
def test_rows_of_a_file_stand_where_they_are_and_a_broken_one_shifts_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]
) -> None:
    path = tmp_path / row["file"]
    path.write_bytes(row["content"].encode("latin-1").decode("unicode_escape").encode("latin-1"))
    if "error" in row:
        monkeypatch.setattr(opening, "ROW_BYTES", 50)
        read, why = until_error(source(path))
        assert ([*map(str, read)], row["error"] in why) == ([text for _, text in row["rows"]], True)
        return
    found = [*zip(places(path), map(str, texts(path)), strict=True)]
    assert [place for place, _ in found] == [place for place, _ in row["rows"]]
    for (_, text), (_, expected) in zip(found, row["rows"], strict=True):
        assert text == expected or (text.startswith(expected) and text.startswith(SAID))


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "two-frames.jsonl.zst", "a.parquet"])
@pytest.mark.parametrize("share", [0, 0.1, 0.9, -1])
def test_file_that_is_cut_off_is_an_error_behind_the_rows_before_it(tmp_path: Path, name: str, share: float) -> None:
    found, why = until_error(source(made(tmp_path, name, share)))
    assert found == TEXTS[: len(found)]
    assert any(words in why for words in ("ended", "Truncated", "empty", "cannot be read"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "cannot be read") for name in ("a.jsonl.gz", "a.jsonl.zst", "a.parquet")),
        ("sqlite:///{}/a.db?table=t", "file is not a database"),
    ],
)
def test_file_that_is_not_what_its_name_says_is_an_error(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / name.rpartition("/")[2].partition("?")[0]).write_text("plain text\n" * 1000)
    assert why in until_error(source(name.format(tmp_path) if ":" in name else tmp_path / name))[1]


def test_row_that_is_too_large_is_refused_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 100)
    contents = ("x" * 87, "x" * 88, "b", "x" * 88, "x" * 88)  # a line of JSON has 13 more
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in contents))
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(("x" * 100, "x" * 101, "b")):
        (tmp_path / "texts" / str(number)).write_text(text)
    with closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("CREATE TABLE t (text)")
        database.executemany("INSERT INTO t VALUES (?)", [("x" * 100,), ("x" * 101,), ("b",)])
        database.commit()
    large = "the row has more than 100 bytes"
    assert texts(tmp_path / "a.jsonl") == ["x" * 87, large, "b", large, large]
    assert places(tmp_path / "a.jsonl") == ["1", "2", "3", "4", "5"]
    assert texts(tmp_path / "texts") == texts(f"sqlite:///{tmp_path}/a.db?table=t") == ["x" * 100, large, "b"]


@pytest.mark.parametrize(
    ("name", "module"), [("a.jsonl.zst", "pyarrow"), ("a.parquet", "pyarrow"), (f"s3://{BUCKET}/a.jsonl", "pyarrow.fs")]
)
def test_missing_library_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str
) -> None:
    path = name if ":" in name else str(made(tmp_path, name))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BatchInputError, match=rf'the package {module} is missing; run pip install "\.\[bulk\]"'):
        list(source(path).rows())


@pytest.mark.parametrize("name", ["a.jsonl", "sqlite:///{}/a.db?table=t"])
def test_file_that_is_not_there_any_more_is_an_error_and_not_made(tmp_path: Path, name: str) -> None:
    path = name.format(tmp_path) if ":" in name else str(made(tmp_path, name))
    rows = source(path)
    (tmp_path / name).unlink(missing_ok=True)
    with pytest.raises(BatchInputError, match="no such file"):
        rows.identity()
    assert "no such file" in until_error(rows)[1]
    assert list(tmp_path.iterdir()) == []
