"""Opening an input: its bytes, decompressed by its name, and what tells it from another."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.shared.domain.language import Message

BLOCK = 64 * 1024
"""Bytes at each end of a file that its identity knows."""
COMPRESSED = (".gz", ".zst")


def identity_of(path: Path) -> dict[str, Any]:
    """Size of a file, and the hash of its first and its last block."""
    with reading(str(path)), path.open("rb") as file:
        size = file.seek(0, 2)
        return {"size": size, "first": _block(file, 0), "last": _block(file, max(0, size - BLOCK))}


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The bytes of a file, and the file itself, whose position tells how far they are read.

    Raises:
        BatchInputError: it cannot be opened, or not read to its end, also while the context is open.
    """
    with reading(str(path)), path.open("rb") as file, _decompressed(file, path) as content:
        yield content, file


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise what goes wrong with an input as an error that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise BatchInputError.of(name, Message("没有这个文件", "there is no such file")) from error
    except (OSError, EOFError, zlib.error) as error:  # gzip's errors among them
        why = getattr(error, "strerror", None) or error
        raise BatchInputError.of(name, Message(f"无法读取：{why}", f"cannot be read: {why}")) from error


def _decompressed(file: BinaryIO, path: Path) -> contextlib.AbstractContextManager[BinaryIO]:
    if path.suffix == ".gz":
        return cast("contextlib.AbstractContextManager[BinaryIO]", gzip.GzipFile(fileobj=file))
    if path.suffix == ".zst":
        return _zstandard(file, str(path))
    return contextlib.nullcontext(file)


@contextlib.contextmanager
def _zstandard(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    import io  # noqa: PLC0415 - beside the library that needs it

    try:
        import zstandard  # noqa: PLC0415 - of the extra `bulk`
    except ImportError as error:
        raise missing_extra(name, "zstandard") from error
    try:
        stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False)
        with io.BufferedReader(cast("io.RawIOBase", stream)) as content:
            yield cast("BinaryIO", content)
    except zstandard.ZstdError as error:
        raise BatchInputError.of(name, Message(f"无法读取：{error}", f"cannot be read: {error}")) from error


def missing_extra(name: str, library: str) -> BatchInputError:
    """The error for an input that needs a library of the extra `bulk`."""
    install = 'pip install "unified-llm-output-parser[bulk]"'
    return BatchInputError.of(name, Message(f"需要 {library}：{install}", f"it needs {library}: {install}"))


def _block(file: BinaryIO, offset: int) -> str:
    file.seek(offset)
    return hashlib.sha256(file.read(BLOCK)).hexdigest()
