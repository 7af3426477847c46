"""Lines of JSON from standard input."""

import io
import sys
from types import SimpleNamespace

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.infrastructure.sources.opening import BLOCK
from tests.modules.reparsing.infrastructure.sources.read import source, texts


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


def test_place_is_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, io.BytesIO(b'"a"\n\n"b"'))
    assert [row.place for row, *_ in source("-").rows()] == ["-:1", "-:3"]


def test_identity_is_the_beginning_which_is_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, io.BytesIO(b'"a"\n'))
    first = source("-")
    identity = first.identity()
    assert len(list(first.rows())) == 1
    piped(monkeypatch, io.BytesIO(b'"b"\n'))
    assert source("-").identity() != identity


def test_stream_that_breaks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, f"Input/output error behind {size}")

    piped(monkeypatch, Broken())
    with pytest.raises(BatchInputError, match="the input -: cannot be read: Input/output error"):
        source("-").identity()
