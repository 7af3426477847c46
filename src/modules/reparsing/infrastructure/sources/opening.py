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
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeAlias, cast

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import FieldNames
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.extras import needs_package

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


def needs_bulk(name: str) -> AbstractContextManager[None]:
    """Around the imports of pyarrow, for an input that needs it."""
    return needs_package("bulk", lambda message, _: BatchInputError.of(name, message))


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


STORES = {"s3://": "", "gs://": "?retry_limit_seconds=30"}
"""The stores, and what pyarrow is told of each: untold, Google's library asks again for a quarter of an hour."""
OBJECT_BUFFER = 1024 * 1024
"""Bytes that are asked of a store at once."""
_SHOWN = 300
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
        name: `s3://BUCKET/KEY` or `gs://BUCKET/KEY`. The key stands as it is, without escapes.
    """

    name: str

    def __post_init__(self) -> None:
        """Look at the name alone.

        Raises:
            BatchInputError: it names no object, or has an account, a secret or an option beside it.
        """
        scheme, bucket, key = self._parts()
        if not bucket or not key or {"@", ":"} & set(bucket) or "?" in key:
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
        with needs_bulk(self.name):
            import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
            from pyarrow.fs import FileSystem  # type: ignore[import-untyped]  # noqa: PLC0415
        scheme, bucket, key = self._parts()
        try:
            system, root = FileSystem.from_uri(f"{scheme}{bucket}{STORES[scheme]}")
            with system.open_input_file(f"{root}/{key}") as file, io.BufferedReader(file, OBJECT_BUFFER) as stored:
                yield stored
        except FileNotFoundError as error:
            raise BatchInputError.of(self.name, NO_OBJECT) from error
        except (OSError, pa.ArrowInvalid) as error:
            raise self._unreadable(str(error)) from error

    def _parts(self) -> tuple[str, str, str]:
        """Scheme, bucket and key."""
        scheme = self.name[: self.name.index("://") + 3]
        bucket, _, key = self.name.removeprefix(scheme).partition("/")
        return scheme, bucket, key

    def _unreadable(self, reason: str) -> BatchInputError:
        shown = one_line(reason, _SHOWN)
        cause = next((cause for word, cause in _CAUSES.items() if word in reason), None)
        if cause is None:
            return unreadable(self.name, shown)
        return BatchInputError.of(self.name, Phrase("{cause}: {shown}", cause=cause, shown=shown))


def hidden(scheme: str) -> str:
    """The name of an address that may hold a secret."""
    return f"{scheme}…"


def _form(scheme: str) -> Message:
    form = f"{scheme}BUCKET/KEY"
    names = "AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"
    return Phrase(
        "it is written {form}, without options or secrets, which process lists and outputs would show; set "
        "them in the environment ({names}), or use a profile or a role",
        form=form,
        names=names,
    )


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
        with needs_bulk(file.name):
            from pyarrow import CompressedInputStream  # noqa: PLC0415 - of the extra `bulk`
        with io.BufferedReader(CompressedInputStream(stored, "zstd")) as content:
            yield content
    else:
        yield stored


_NOTHING = "the compressed file is empty"
