"""Files that are there whole or not at all, whatever happens to the process or to the power."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk.

    Raises:
        OSError: that is not possible.
    """
    if os.name != "posix" and path.is_dir():  # pragma: no cover - Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def replacing(file: Path, suffix: str = "") -> Iterator[Path]:
    """A file to write instead of one, which takes its place once all is written; after an error it is removed.

    A link stays a link, and a file that is there keeps its mode.

    Args:
        file: what is replaced, or made.
        suffix: ends the name of the other file, where several processes may write at once.

    Raises:
        OSError: it cannot be written.
    """
    target = file.resolve()
    beside = target.with_name(f".{target.name}{suffix}")
    try:
        yield beside
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        sync(beside)
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    sync(target.parent)


def replace_file(file: Path, content: bytes, suffix: str = "") -> None:
    """Write a file whole or not at all; see `replacing`.

    Raises:
        OSError: it cannot be written.
    """
    with replacing(file, suffix) as beside:
        beside.write_bytes(content)
