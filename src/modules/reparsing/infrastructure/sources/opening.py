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
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import Row
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.extras import needs_package

BLOCK = 64 * 1024
"""Bytes at each end of a file that its identity knows."""
ROW_BYTES = 64 * 1024 * 1024
"""Size of the largest row that is read; a larger one is refused."""
COMPRESSED = (".gz", ".zst")
NO_FILE = Phrase("there is no such file")
NO_OBJECT = Phrase(
    "there is no such bucket or object; name each object in full, since no folder is listed and no pattern expanded"
)
STORES = {"s3://": "", "gs://": "?retry_limit_seconds=30"}
"""The stores, and what pyarrow is told of each: untold, Google's library asks again for a quarter of an hour."""
OBJECT_BUFFER = 1024 * 1024
"""Bytes that are asked of a store at once."""
_SHOWN = 300
_DENIED = Phrase("access denied; check the credentials and their right to read")
_UNREACHED = Phrase("the store cannot be reached")
_CAUSES = {
    "ACCESS_DENIED": _DENIED,
    "PERMISSION_DENIED": _DENIED,
    "NETWORK_CONNECTION": _UNREACHED,
    "UNAVAILABLE": _UNREACHED,
}
"""What a word in pyarrow's message means."""


def oversized_row(place: str, position: int = 0) -> Row:
    """A row that is too large to be read; it is not kept."""
    return Row(place, Phrase("the row has more than {row_bytes} bytes", row_bytes=ROW_BYTES), position=position)


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise what goes wrong with an input as an error that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise BatchInputError.of(name, NO_FILE) from error
    except (OSError, EOFError, zlib.error) as error:  # gzip's errors among them
        raise unreadable(name, getattr(error, "strerror", None) or error) from error


def unreadable(name: str, why: object) -> BatchInputError:
    """The error for an input that cannot be read, in the words of who tried."""
    return BatchInputError.of(name, Phrase("cannot be read: {why}", why=why))


def needs_bulk(name: str) -> AbstractContextManager[None]:
    """Around the imports of pyarrow, for an input that needs it."""
    return needs_package("bulk", lambda message, _: BatchInputError.of(name, message))


def is_object(name: str) -> bool:
    """Whether an input is an object of a store, and not a file."""
    return name.startswith(tuple(STORES))


def hide_address(scheme: str) -> str:
    """The name of an address that may hold a secret."""
    return f"{scheme}…"


def check_object(name: str) -> None:
    """Look at the name of an object alone. The key stands in it as it is, without escapes.

    Raises:
        BatchInputError: it names no object, or has an account, a secret or an option beside it.
    """
    scheme, bucket, key = _parts(name)
    if not bucket or not key or {"@", ":"} & set(bucket) or "?" in key:
        form = f"{scheme}BUCKET/KEY"
        names = "AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"
        why = Phrase(
            "it is written {form}, without options or secrets, which process lists and outputs would show; set "
            "them in the environment ({names}), or use a profile or a role",
            form=form,
            names=names,
        )
        raise BatchInputError.of(hide_address(scheme), why)


def _parts(name: str) -> tuple[str, str, str]:
    """Scheme, bucket and key of an object."""
    scheme = name[: name.index("://") + 3]
    bucket, _, key = name.removeprefix(scheme).partition("/")
    return scheme, bucket, key


def stored(name: str) -> AbstractContextManager[BinaryIO]:
    """The bytes of an input as they are stored, from any place on."""
    return _object(name) if is_object(name) else Path(name).open("rb")


@contextlib.contextmanager
def _object(name: str) -> Iterator[BinaryIO]:
    """The bytes of an object, through pyarrow's file systems."""
    with needs_bulk(name):
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
        from pyarrow.fs import FileSystem  # type: ignore[import-untyped]  # noqa: PLC0415
    scheme, bucket, key = _parts(name)
    try:
        system, root = FileSystem.from_uri(f"{scheme}{bucket}{STORES[scheme]}")
        with system.open_input_file(f"{root}/{key}") as file, io.BufferedReader(file, OBJECT_BUFFER) as content:
            yield content
    except FileNotFoundError as error:
        raise BatchInputError.of(name, NO_OBJECT) from error
    except (OSError, pa.ArrowInvalid) as error:
        shown = one_line(str(error), _SHOWN)
        cause = next((cause for word, cause in _CAUSES.items() if word in str(error)), None)
        if cause is None:
            raise unreadable(name, shown) from error
        raise BatchInputError.of(name, Phrase("{cause}: {shown}", cause=cause, shown=shown)) from error


def size_of(name: str) -> int:
    """The bytes of an input, as they are stored; 0 where there is no such file.

    Raises:
        BatchInputError: there is no such object, or it cannot be reached.
    """
    if is_object(name):
        with stored(name) as content:
            return content.seek(0, io.SEEK_END)
    path = Path(name)
    return path.stat().st_size if path.is_file() else 0


def identity_of(name: str) -> dict[str, Any]:
    """Size of an input, and the hash of its first and its last block.

    Raises:
        BatchInputError: it cannot be read.
    """
    with reading(name), stored(name) as content:
        size = content.seek(0, io.SEEK_END)
        return {"size": size, "first": _block(content, 0), "last": _block(content, max(0, size - BLOCK))}


def _block(content: BinaryIO, offset: int) -> str:
    content.seek(offset)
    return hashlib.sha256(content.read(BLOCK)).hexdigest()


@contextlib.contextmanager
def opened(name: str) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The bytes of an input, and those that are stored, whose position tells how far they are read.

    Raises:
        BatchInputError: it cannot be opened, or not read to its end, also while the context is open.
    """
    ending = PurePosixPath(name).suffix
    with reading(name), stored(name) as compressed:
        if ending not in COMPRESSED:
            yield compressed, compressed
            return
        if not compressed.read(1):
            raise EOFError(_NOTHING)  # a file of that kind has a head at least
        compressed.seek(0)
        if ending == ".gz":
            with gzip.GzipFile(fileobj=compressed) as content:
                yield cast("BinaryIO", content), compressed
            return
        with needs_bulk(name):
            from pyarrow import CompressedInputStream  # noqa: PLC0415 - of the extra `bulk`
        with io.BufferedReader(CompressedInputStream(compressed, "zstd")) as plain:
            yield plain, compressed


_NOTHING = "the compressed file is empty"
