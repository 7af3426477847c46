"""Files that are there whole or not at all, whatever happens to the process or to the power."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from src.modules.reparsing.domain.exceptions import BatchFolderError
from src.shared.domain.language import Message

LOCK = ".lock"
"""The file that says that a folder is in use; the system drops the lock when its process ends in any way."""


def write_whole(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files: beside, to the disk, and then under its name.

    Raises:
        OSError: it cannot be written.
    """
    beside = folder.with_name(f".{folder.name}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    for name, content in files.items():
        with (beside / name).open("wb") as file:
            file.write(content)
            _sync(file.fileno())
    _sync_folder(beside)
    beside.rename(folder)
    _sync_folder(folder.parent)


def replaced(file: Path, content: bytes) -> None:
    """Write a file: beside, to the disk, and then under its name.

    Raises:
        OSError: it cannot be written.
    """
    with beside_of(file) as beside:
        beside.write_bytes(content)


@contextlib.contextmanager
def beside_of(file: Path) -> Iterator[Path]:
    """A file to write instead of one, which becomes that one when all is written."""
    beside = file.with_name(f".{file.name}")
    yield beside
    with beside.open("rb+") as written:
        _sync(written.fileno())
    beside.replace(file)
    _sync_folder(file.parent)


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for this process alone; on Windows, nothing.

    Raises:
        BatchFolderError: another process holds it.
    """
    with (folder / LOCK).open("wb") as file:
        try:
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # pragma: no cover - Windows
            pass
        except BlockingIOError:
            why = Message("另一个进程正在其中运行", "another process is running in it")
            raise BatchFolderError.of(str(folder), why) from None
        yield


def _sync(descriptor: int) -> None:
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # pragma: no cover - Windows cannot open a folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)
