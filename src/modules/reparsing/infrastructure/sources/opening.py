"""Opening an input: its bytes, decompressed by its name, and what tells it from another."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.infrastructure.sources.zstandard_stream import ZstandardStream
from src.shared.domain.language import Message

BLOCK = 64 * 1024
"""Bytes at each end of a file that its identity knows."""
COMPRESSED = (".gz", ".zst")
NO_FILE = Message("没有这个文件", "there is no such file")


def size_of(path: Path) -> int:
    """Bytes of a file; 0 where there is none."""
    return path.stat().st_size if path.is_file() else 0


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
        raise BatchInputError.of(name, NO_FILE) from error
    except (OSError, EOFError, zlib.error) as error:  # gzip's errors among them
        why = getattr(error, "strerror", None) or error
        raise unreadable(name, why) from error


def unreadable(name: str, why: object) -> BatchInputError:
    """The error for an input that cannot be read, in the words of who tried."""
    return BatchInputError.of(name, Message(f"无法读取：{why}", f"cannot be read: {why}"))


def missing_extra(name: str, library: str) -> BatchInputError:
    """The error for an input that needs a library of the extra `bulk`."""
    install = 'pip install "unified-llm-output-parser[bulk]"'
    return BatchInputError.of(name, Message(f"需要 {library}：{install}", f"it needs {library}: {install}"))


@contextlib.contextmanager
def _decompressed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    if path.suffix in COMPRESSED and not size_of(path):
        raise EOFError(_NOTHING)  # a file of that kind has a head at least
    if path.suffix == ".gz":
        with gzip.GzipFile(fileobj=file) as content:
            yield cast("BinaryIO", content)
    elif path.suffix == ".zst":
        with _zstandard(file, str(path)) as content:
            yield content
    else:
        yield file


_NOTHING = "the compressed file is empty"


@contextlib.contextmanager
def _zstandard(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    try:
        import zstandard  # noqa: PLC0415 - of the extra `bulk`
    except ImportError as error:
        raise missing_extra(name, "zstandard") from error
    stream = ZstandardStream(file, lambda: zstandard.ZstdDecompressor().decompressobj())
    try:
        with io.BufferedReader(stream) as content:
            yield cast("BinaryIO", content)
    except zstandard.ZstdError as error:
        raise unreadable(name, error) from error


def _block(file: BinaryIO, offset: int) -> str:
    file.seek(offset)
    return hashlib.sha256(file.read(BLOCK)).hexdigest()
