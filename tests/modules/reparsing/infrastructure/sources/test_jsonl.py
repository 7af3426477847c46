"""Lines of JSON, from a file and from standard input."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.infrastructure.sources import opening
from src.modules.reparsing.infrastructure.sources.opening import BLOCK
from tests.modules.reparsing.infrastructure.sources.read import source, texts

ROWS = b"".join(b'{"text": "%d"}\n' % number for number in range(1000))


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def zstd(content: bytes) -> bytes:
    compressed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return compressed


@pytest.mark.parametrize("ending", [b"\n", b""])
def test_rest_of_a_row_that_is_far_too_large_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: bytes
) -> None:
    monkeypatch.setattr(opening, "ROW_BYTES", 100)
    path = written(tmp_path / "a.jsonl", b"[" * 2_500_000 + ending)
    assert texts(path) == ["the row has more than 100 bytes"]


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
