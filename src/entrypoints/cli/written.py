"""A result as JSON or as a table, on stdout or in a file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.options import Format
from src.entrypoints.cli.plain_output import json_text, write_stdout
from src.entrypoints.cli.spoken import spoken


def value_writer(data: object, output_format: Format, file: Path | None = None) -> Callable[[], None]:
    """How to write a result. Made before anything is said on stderr: what cannot be written is an error.

    Args:
        data: JSON types.
        output_format: how it is written.
        file: where to; stdout without one.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        if output_format is Format.TABLE:
            return _table_writer(data, file)
        text = json_text(data)
    except (ValueError, RecursionError) as error:
        message = spoken(f"对象已读出，但无法写出：{error}", f"the object was read, but cannot be written: {error}")
        raise CommandError(message) from error
    return partial(write_file, file, text) if file else partial(write_stdout, text)


def _table_writer(data: object, file: Path | None) -> Callable[[], None]:
    from src.entrypoints.cli.screen import print_table, table_text  # noqa: PLC0415 - JSON needs no rich
    from src.entrypoints.cli.tables import value_table  # noqa: PLC0415 - as above

    table = value_table(data)
    return partial(write_file, file, table_text(table)) if file else partial(print_table, table)


def write_file(file: Path, text: str) -> None:
    """Write a text and a line end to a file: all of it, or the file stays as it was.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        if file.exists() and not file.is_file():  # a pipe or a device has nothing to lose
            file.write_text(text + "\n", encoding="utf-8")
        else:
            _replace(file, text + "\n")
    except OSError as error:
        why = error.strerror or error
        message = spoken(f"无法写入 {file}：{why}", f"cannot write {file}: {why}")
        raise CommandError(message) from error


def _replace(file: Path, text: str) -> None:
    target = file.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as half:
            half.write(text)
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is replaced; of a new one what the process gives to its files."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
