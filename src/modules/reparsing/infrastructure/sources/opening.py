"""Opening an input: its bytes, decompressed by its name, and what tells it from another.

The content of a `.zst` file, frame by frame.

The library's own stream ends without a word where a file is cut off inside a frame, so that rows would be lost. This
one raises.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames
from src.shared.domain.language import Message
from src.shared.infrastructure.extras import install_command

if TYPE_CHECKING:
    import zstandard
    from _typeshed import WriteableBuffer

_READ_AT_ONCE = 1024
"""Compressed bytes that are decompressed at once. Four of them may be a block of 128 KiB: 32 MiB come out at most."""
_CUT_OFF = "compressed file ended inside a frame"


class ZstandardStream(io.RawIOBase):
    """The decompressed bytes of a file."""

    def __init__(self, file: BinaryIO, frame: Callable[[], zstandard.ZstdDecompressionObj]) -> None:
        """Read nothing yet; `frame` makes what decompresses the next frame."""
        self._file = file
        self._new_frame = frame
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._content = memoryview(b"")

    def readable(self) -> bool:
        """As `io.RawIOBase`."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """As `io.RawIOBase`.

        Raises:
            EOFError: the file ends inside a frame.
        """
        while not self._content:
            chunk = self._file.read(_READ_AT_ONCE)
            if not chunk:
                if self._frame:
                    raise EOFError(_CUT_OFF)
                return 0
            self._content = memoryview(self._decompressed(chunk))
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._content))
        view[:count] = self._content[:count]
        self._content = self._content[count:]
        return count

    def _decompressed(self, chunk: bytes) -> bytes:
        pieces = []
        while chunk:
            frame = self._frame = self._frame or self._new_frame()
            pieces.append(frame.decompress(chunk))
            chunk = frame.unused_data
            if frame.eof:
                self._frame = None
        return b"".join(pieces)


BLOCK = 64 * 1024
"""Bytes at each end of a file that its identity knows."""
COMPRESSED = (".gz", ".zst")
NO_FILE = Message("没有这个文件", "there is no such file")


class InputFile(Protocol):
    """A file with rows, here or in a store. It can be sent to another process."""

    @property
    def name(self) -> str:
        """As the user wrote it."""
        ...

    @property
    def path(self) -> PurePath:
        """Where it is; the ending tells what is in it."""
        ...

    def size(self) -> int:
        """Its bytes, as they are stored."""
        ...

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Its bytes, as they are stored, from any place on.

        Raises:
            OSError, BatchInputError: it cannot be opened, or not be read, also while the context is open.
        """
        ...


@dataclass(frozen=True)
class LocalFile:
    """As `InputFile`: a file of this machine.

    Attributes:
        path: where it is.
    """

    path: Path

    @property
    def name(self) -> str:
        """As `InputFile.name`."""
        return str(self.path)

    def size(self) -> int:
        """As `InputFile.size`; 0 where there is none."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def open(self) -> BinaryIO:
        """As `InputFile.open`."""
        return self.path.open("rb")


class FileRows:
    """The part of `RowSource` that all inputs have which are one file."""

    repeatable = True

    def __init__(self, file: InputFile, names: FieldNames) -> None:
        """Open nothing yet."""
        self.name = file.name
        self.total = file.size()
        self._file = file
        self._names = names

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`."""
        return identity_of(self._file)


def identity_of(file: InputFile) -> dict[str, Any]:
    """Size of a file, and the hash of its first and its last block."""
    with reading(file.name), file.open() as stored:
        size = stored.seek(0, io.SEEK_END)
        return {"size": size, "first": _block(stored, 0), "last": _block(stored, max(0, size - BLOCK))}


@contextlib.contextmanager
def opened(file: InputFile) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The bytes of a file, and the file itself, whose position tells how far they are read.

    Raises:
        BatchInputError: it cannot be opened, or not read to its end, also while the context is open.
    """
    with reading(file.name), file.open() as stored, _decompressed(stored, file) as content:
        yield content, stored


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
    install = install_command("bulk")
    message = Message(f"需要 {library}：在检出目录中运行 {install}", f"it needs {library}: {install} in a checkout")
    return BatchInputError.of(name, message)


@contextlib.contextmanager
def _decompressed(stored: BinaryIO, file: InputFile) -> Iterator[BinaryIO]:
    ending = file.path.suffix
    if ending in COMPRESSED and not stored.read(1):
        raise EOFError(_NOTHING)  # a file of that kind has a head at least
    stored.seek(0)
    if ending == ".gz":
        with gzip.GzipFile(fileobj=stored) as content:
            yield cast("BinaryIO", content)
    elif ending == ".zst":
        with _zstandard(stored, file.name) as content:
            yield content
    else:
        yield stored


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


ROW_BYTES = 64 * 1024 * 1024
"""Size of the largest row that is read; a larger one is refused."""
UNKEPT = 1
"""What a row that is not kept counts for, in bytes."""


def too_large() -> Message:
    """What to say of a row that is too large."""
    return Message(f"该行超过 {ROW_BYTES} 字节", f"the row has more than {ROW_BYTES} bytes")
