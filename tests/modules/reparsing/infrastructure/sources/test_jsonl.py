"""Lines of JSON, from a file and from standard input."""

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.infrastructure.sources import opening
from src.modules.reparsing.infrastructure.sources.opening import BLOCK
from tests.modules.reparsing.infrastructure.sources.read import places, records, source, texts, until_error

ROWS = b"".join(b'{"text": "%d"}\n' % number for number in range(1000))
TEXTS = [str(number) for number in range(1000)]


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def zstd(content: bytes) -> bytes:
    compressed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return compressed


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *((f"a{ending}", ROWS) for ending in (".jsonl", ".ndjson", ".json")),
        ("a.jsonl.gz", gzip.compress(ROWS)),
        ("two-members.jsonl.gz", gzip.compress(ROWS[:100]) + gzip.compress(ROWS[100:])),
        ("a.jsonl.zst", zstd(ROWS)),
        ("two-frames.jsonl.zst", zstd(ROWS[:100]) + zstd(ROWS[100:])),
        ("frame-to-skip.jsonl.zst", b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + zstd(ROWS)),
    ],
)
def test_rows_are_lines_with_their_numbers_as_places(tmp_path: Path, name: str, content: bytes) -> None:
    path = written(tmp_path / name, content)
    assert texts(path) == TEXTS
    assert places(path) == [str(number) for number in range(1, 1001)]
    rows = source(path)
    positions = [row.position for row in rows.rows()]
    assert positions == sorted(positions)
    assert positions[-1] == rows.total == path.stat().st_size


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"text": "a"}\r\n{"text": "b"}\r\n', ["1", "2"]),
        (b'{"text": "a"}\n{"text": "b"}', ["1", "2"]),
        (b'\xef\xbb\xbf{"text": "a"}\n', ["1"]),
        (b'\n{"text": "a"}\n  \r\n\n{"text": "b"}\n\n', ["2", "5"]),
        (b'"a"\n"b"\n', ["1", "2"]),
        (b'{"text": "a", "score": NaN}\n', ["1"]),
        (b"", []),
        (b"\xef\xbb\xbf", []),
    ],
    ids=["CRLF", "no final newline", "BOM", "empty lines", "texts alone", "NaN", "nothing", "a BOM alone"],
)
def test_lines_of_every_kind_are_read(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    path = written(tmp_path / "a.jsonl", content)
    assert (texts(path), places(path)) == (["a", "b"][: len(expected)], expected)


@pytest.mark.parametrize("line", [b'{"text": "\xff"}', b"{", b"[1]", b'{"id": 1}'])
def test_broken_line_is_a_row_of_its_own_between_the_others(tmp_path: Path, line: bytes) -> None:
    first, broken, last = records(written(tmp_path / "a.jsonl", b'{"text": "a"}\n' + line + b'\n{"text": "b"}\n'))
    assert isinstance(broken, str)
    assert [record.text for record in (first, last) if isinstance(record, Record)] == ["a", "b"]


def test_row_may_be_as_large_as_the_bound_and_no_larger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 100)
    fits, too_large = (json.dumps({"text": "x" * size}).encode() + b"\n" for size in (87, 88))
    assert len(fits) == 100
    path = written(tmp_path / "a.jsonl", fits + too_large + b'{"text": "b"}\n' + too_large * 2)
    large = "the row has more than 100 bytes"
    assert texts(path) == ["x" * 87, large, "b", large, large]
    assert places(path) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("ending", [b"\n", b""])
def test_rest_of_a_row_that_is_far_too_large_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: bytes
) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 100)
    path = written(tmp_path / "a.jsonl", b"[" * 2_500_000 + ending)
    assert texts(path) == ["the row has more than 100 bytes"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.jsonl.gz", gzip.compress(ROWS)), ("a.jsonl.zst", zstd(ROWS)), ("b.jsonl.zst", zstd(ROWS) * 2)],
)
@pytest.mark.parametrize("left", [0.1, 0.9, -1])
def test_compressed_file_that_is_cut_off_is_an_error_behind_the_rows_before_it(
    tmp_path: Path, name: str, content: bytes, left: float
) -> None:
    cut = content[:-1] if left < 0 else content[: int(len(content) * left)]
    found, why = until_error(source(written(tmp_path / name, cut)))
    assert found == (TEXTS * 2)[: len(found)]
    assert "ended" in why or "Truncated" in why


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
@pytest.mark.parametrize(("content", "why"), [(b"", "empty"), (b"plain text", "cannot be read")])
def test_file_that_is_not_compressed_as_its_name_says_is_an_error(
    tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    assert why in until_error(source(written(tmp_path / name, content)))[1]


def test_block_that_expands_without_bound_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 100)
    path = written(tmp_path / "a.jsonl.zst", zstd(b"0" * 50_000_000) + zstd(b'\n{"text": "a"}'))
    assert path.stat().st_size < 10_000
    assert texts(path) == ["the row has more than 100 bytes", "a"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'[{"text": "a"}]', "one JSON array, not one object a line; make lines of it: jq -c .[]"),
        (b'\xef\xbb\xbf \n[\n{"text": "a"}]', "one JSON array"),
        (b'{\r\n  "text": "a"\n}\n', "JSON over several lines, not one object a line; make lines of it: jq -c . "),
    ],
)
def test_json_file_that_is_one_value_is_refused_with_a_command_that_helps(
    tmp_path: Path, content: bytes, why: str
) -> None:
    with pytest.raises(BatchInputError) as error:
        source(written(tmp_path / "a.json", content)).identity()
    assert why in str(error.value)


def test_identity_tells_a_file_from_one_with_another_beginning_end_or_size(tmp_path: Path) -> None:
    contents = (ROWS, ROWS + b" ", b" " + ROWS[1:], ROWS[:-1] + b" ")
    identities = [source(written(tmp_path / "a.jsonl", content)).identity() for content in contents]
    assert all(identities.count(identity) == 1 for identity in identities)
    assert source(written(tmp_path / "b.jsonl", ROWS)).identity() == identities[0]


def test_file_that_went_away_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", ROWS)
    rows = source(path)
    path.unlink()
    with pytest.raises(BatchInputError, match="no such file"):
        rows.identity()


def test_missing_library_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    why = until_error(source(written(tmp_path / "a.jsonl.zst", zstd(ROWS))))[1]
    assert 'the package pyarrow is missing; run pip install ".[bulk]"' in why


# --- standard input --------------------------------------------------------------------------------------


class Slow(io.BytesIO):
    """Gives a few bytes at a time."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 0, 7) if size and size > 0 else size)


def piped(monkeypatch: pytest.MonkeyPatch, stream: io.BytesIO) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))


@pytest.mark.parametrize("stream", [io.BytesIO, Slow])
@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_rows_come_in_order_whatever_their_number(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.BytesIO], count: int
) -> None:
    content = b"".join(b'{"text": "%d"}\n' % number for number in range(count))
    assert count < 2 or len(content) > 2 * BLOCK
    piped(monkeypatch, stream(b"\xef\xbb\xbf" + content))
    assert texts("-") == [str(number) for number in range(count)]


def test_stream_that_breaks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, f"Input/output error behind {size}")

    piped(monkeypatch, Broken())
    with pytest.raises(BatchInputError, match="the input -: cannot be read: Input/output error"):
        source("-").identity()
