"""Files that grow line by line, each line written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

OWNER_ONLY = 0o600
"""Mode of a new file: what people ask models is nobody else's business."""


def append_whole(path: Path, line: bytes, *, is_new: bool = False) -> None:
    """Append a line, by one system call, which no signal divides; take back what a full disk left of it.

    Args:
        path: the file; a new one is readable for its owner only.
        line: the line with its end; nothing only makes sure that the file can be written.
        is_new: whether the file must not exist yet.

    Raises:
        OSError: it cannot be written; a FileExistsError where `is_new` and it does exist.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | (os.O_EXCL if is_new else 0), OWNER_ONLY)
    try:
        size = os.fstat(file).st_size
        unfinished = size and line and os.pread(file, 1, size - 1) != b"\n"  # written by hand
        line = b"\n" + line if unfinished else line
        if os.write(file, line) != len(line):
            os.ftruncate(file, size)
            message = "the disk is full"
            raise OSError(message)
    finally:
        os.close(file)
