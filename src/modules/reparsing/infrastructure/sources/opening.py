"""Opening an input, a file here or an object of a store: its bytes, decompressed, and what tells it from another.

Of a store such as S3 no right but that to read the object is needed.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeAlias, cast
from urllib.parse import parse_qsl

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.extras import install_command

BLOCK = 64 * 1024
"""Bytes at each end of a file that its identity knows."""
COMPRESSED = (".gz", ".zst")
NO_FILE = Phrase("there is no such file")
ROW_BYTES = 64 * 1024 * 1024
"""Size of the largest row that is read; a larger one is refused."""
UNKEPT = 1
"""What a row that is not kept counts for, in bytes."""


def too_large() -> Message:
    """What to say of a row that is too large."""
    return Phrase("the row has more than {row_bytes} bytes", row_bytes=ROW_BYTES)


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
    return BatchInputError.of(name, Phrase("cannot be read: {why}", why=why))


def missing_extra(name: str, library: str) -> BatchInputError:
    """The error for an input that needs a library of the extra `bulk`."""
    install = install_command("bulk")
    message = Phrase("it needs {library}: {install} in a checkout", library=library, install=install)
    return BatchInputError.of(name, message)


@dataclass(frozen=True)
class LocalFile:
    """A file of this machine.

    Attributes:
        path: where it is; the ending tells what is in it.
    """

    path: Path

    @property
    def name(self) -> str:
        """As the user wrote it."""
        return str(self.path)

    def size(self) -> int:
        """Its bytes, as they are stored; 0 where there is none."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def open(self) -> BinaryIO:
        """Its bytes, as they are stored, from any place on."""
        return self.path.open("rb")


_PATIENCE = "retry_limit_seconds"
"""For how long a store is asked again. Google's library does for a quarter of an hour if it is not told."""
OPTIONS = {
    "s3://": ("endpoint_override", "region", "scheme"),
    "gs://": ("endpoint_override", _PATIENCE, "scheme"),
}
"""The stores, and the options of pyarrow that may stand behind `?`. None of them is a secret."""
STORES = tuple(OPTIONS)
OBJECT_BUFFER = 1024 * 1024
"""Bytes that are asked of a store at once."""
_TOLD = 300
NO_OBJECT = Phrase(
    "there is no such bucket or object; name each object in full, since no folder is listed and no pattern expanded"
)
_DENIED = Phrase("access denied; check the credentials and their right to read")
_UNREACHED = Phrase("the store cannot be reached")
_CAUSES = {
    "ACCESS_DENIED": _DENIED,
    "PERMISSION_DENIED": _DENIED,
    "NETWORK_CONNECTION": _UNREACHED,
    "UNAVAILABLE": _UNREACHED,
}
"""What a word in pyarrow's message means."""


@dataclass(frozen=True)
class StoredObject:
    """An object of a store. It holds no connection, so that it can be sent to another process.

    Attributes:
        name: `s3://bucket/key` or `gs://bucket/key`, with options behind `?`. The key stands as it is, without escapes.
    """

    name: str

    def __post_init__(self) -> None:
        """Look at the name alone.

        Raises:
            BatchInputError: it holds a secret, names no object, or has an option that is not known.
        """
        scheme, bucket, key, query = self._parts()
        account, at, host = bucket.rpartition("@")
        is_public = scheme == "gs://" and account == "anonymous"
        if (at and not is_public) or ":" in bucket or "@" in query:
            raise BatchInputError.of(hidden(scheme), _SECRET)
        if not host or not key:
            raise BatchInputError.of(self.name, _form(scheme))
        options = parse_qsl(query, keep_blank_values=True)
        if [option for option, _ in options if option not in OPTIONS[scheme]] or (query and not options):
            raise BatchInputError.of(hidden(scheme), _form(scheme))

    @property
    def path(self) -> PurePosixPath:
        """Where it is; the ending tells what is in it."""
        return PurePosixPath(self._parts()[2])

    def size(self) -> int:
        """Its bytes, as they are stored.

        Raises:
            BatchInputError: it is not there, or cannot be reached.
        """
        with self.open() as stored:
            return stored.seek(0, io.SEEK_END)

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes, as they are stored, from any place on, through pyarrow's file systems."""
        try:
            import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
            from pyarrow.fs import FileSystem  # type: ignore[import-untyped]  # noqa: PLC0415
        except ImportError as error:
            raise missing_extra(self.name, "pyarrow") from error
        scheme, bucket, key, query = self._parts()
        options = (
            query
            if _PATIENCE in query or _PATIENCE not in OPTIONS[scheme]
            else f"{query}&{_PATIENCE}=30".removeprefix("&")
        )
        try:
            system, root = FileSystem.from_uri(f"{scheme}{bucket}?{options}")
            with system.open_input_file(f"{root}/{key}") as file, io.BufferedReader(file, OBJECT_BUFFER) as stored:
                yield stored
        except FileNotFoundError as error:
            raise BatchInputError.of(self.name, NO_OBJECT) from error
        except (OSError, pa.ArrowInvalid) as error:
            raise self._unreadable(str(error)) from error

    def _parts(self) -> tuple[str, str, str, str]:
        """Scheme, bucket, key and options."""
        scheme = next(scheme for scheme in STORES if self.name.startswith(scheme))
        where, _, query = self.name.removeprefix(scheme).partition("?")
        bucket, _, key = where.partition("/")
        return scheme, bucket, key, query

    def _unreadable(self, said: str) -> BatchInputError:
        shown = one_line(said, _TOLD)
        cause = next((cause for word, cause in _CAUSES.items() if word in said), None)
        if cause is None:
            return unreadable(self.name, shown)
        return BatchInputError.of(self.name, Phrase("{cause}: {shown}", cause=cause, shown=shown))


def hidden(scheme: str) -> str:
    """The name of an address that may hold a secret."""
    return f"{scheme}…"


_SECRET = Phrase(
    "no secret may stand in an address, where process lists and outputs would show it; set "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile or a role"
)


def _form(scheme: str) -> Message:
    form = f"{scheme}BUCKET/KEY[?OPTION=VALUE&…]"
    options = ", ".join(OPTIONS[scheme])
    return Phrase("it is written {form}; the options: {options}", form=form, options=options)


InputFile: TypeAlias = LocalFile | StoredObject
"""A file with rows, here or in a store. It can be sent to another process."""


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


def _block(file: BinaryIO, offset: int) -> str:
    file.seek(offset)
    return hashlib.sha256(file.read(BLOCK)).hexdigest()


@contextlib.contextmanager
def opened(file: InputFile) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The bytes of a file, and the file itself, whose position tells how far they are read.

    Raises:
        BatchInputError: it cannot be opened, or not read to its end, also while the context is open.
    """
    with reading(file.name), file.open() as stored, _decompressed(stored, file) as content:
        yield content, stored


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
        with stream_of(_frames(stored, file.name)) as content:
            yield content
    else:
        yield stored


_NOTHING = "the compressed file is empty"
_READ_AT_ONCE = 1024
"""Compressed bytes that are decompressed at once. Four of them may be a block of 128 KiB: 32 MiB come out at most."""
_CUT_OFF = "compressed file ended inside a frame"


def _frames(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The content of a `.zst` file, frame by frame.

    The library's own stream ends without a word where the file is cut off inside a frame, so that rows would be lost.
    """
    try:
        import zstandard  # noqa: PLC0415 - of the extra `bulk`
    except ImportError as error:
        raise missing_extra(name, "zstandard") from error
    frame: zstandard.ZstdDecompressionObj | None = None
    while chunk := file.read(_READ_AT_ONCE):
        while chunk:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(chunk)
            except zstandard.ZstdError as error:
                raise unreadable(name, error) from error
            chunk = frame.unused_data
            frame = None if frame.eof else frame
    if frame:
        raise EOFError(_CUT_OFF)


def stream_of(chunks: Iterator[bytes]) -> BinaryIO:
    """Chunks, as they come, as one stream."""
    return cast("BinaryIO", io.BufferedReader(_Chunks(chunks)))


class _Chunks(io.RawIOBase):
    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - anything with bytes
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count
