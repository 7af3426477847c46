"""The content of a `.zst` file, frame by frame.

The library's own stream ends without a word where a file is cut off inside a frame, so that rows would be lost. This
one raises.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

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
