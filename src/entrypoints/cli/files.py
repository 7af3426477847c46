"""Texts that a command reads, and results that it writes: files, folders and the standard streams."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from src.entrypoints.cli.guard import CommandError, os_errors_told
from src.entrypoints.cli.options import Format
from src.entrypoints.cli.plain_output import json_text, spoken, write_stdout
from src.shared.domain.language import Phrase
from src.shared.infrastructure.files import replace_file

STDIN = "-"
_BOM = "\ufeff"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Source:
    """A text and where it came from: a file's name or `<stdin>`."""

    name: str
    text: str


def read_source(file: str) -> Source:
    """Read a file, or stdin for `-`; a byte order mark is dropped.

    Raises:
        CommandError: it cannot be read, or is not UTF-8.
    """
    if file == STDIN:
        return Source("<stdin>", _decoded(_stdin(), "<stdin>"))
    return Source(file, _decoded(_file(file), file))


def _file(name: str) -> bytes:
    with os_errors_told(Phrase("cannot read {name}", name=name)):
        try:
            return Path(name).read_bytes()
        except FileNotFoundError as error:
            raise CommandError("there is no file {name}", name=name) from error
        except IsADirectoryError as error:
            raise CommandError("{name} is a directory; name a file", name=name) from error


def _stdin() -> bytes:
    if sys.stdin is None:
        raise CommandError("stdin is closed; name a file")
    if not sys.stdin.isatty():
        return _bytes_of_stdin()
    from src.entrypoints.cli.screen import say  # noqa: PLC0415 - a file needs no rich

    say(spoken("Reading from the terminal: paste the text, then press Ctrl-D on a line of its own."))
    typed = _bytes_of_stdin()
    if not typed:
        raise CommandError("nothing was typed; name a file, or pipe a text into llm-output")
    return typed


def _bytes_of_stdin() -> bytes:
    with os_errors_told(Phrase("cannot read stdin")):  # such as a directory as stdin
        return sys.stdin.buffer.read()


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        byte, advice = f"0x{data[error.start]:02x}", _advice(data, name)
        raise CommandError(
            "{name} is not UTF-8: byte {byte} at offset {start}{advice}",
            name=name,
            byte=byte,
            start=error.start,
            advice=advice,
        ) from error


def _advice(data: bytes, name: str) -> str:
    if not data.startswith(_UTF_16_MARKS) and b"\x00" in data:
        return spoken("; it holds NUL bytes, so it is probably not a text at all")
    encoding = "UTF-16" if data.startswith(_UTF_16_MARKS) else "GB18030"
    file = name if Path(name).exists() else "FILE"
    command = f"iconv -f {encoding} -t UTF-8 {file}"
    return spoken("; re-encode it, for example: {command}", command=command)


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
        raise CommandError("the object was read, but cannot be written: {error}", error=error) from error
    return partial(write_file, file, text) if file else partial(write_stdout, text)


def _table_writer(data: object, file: Path | None) -> Callable[[], None]:
    from src.entrypoints.cli.screen import (  # noqa: PLC0415 - JSON needs no rich
        print_table,
        table_text,
        value_table,
    )

    table = value_table(data)
    return partial(write_file, file, table_text(table)) if file else partial(print_table, table)


def write_file(file: Path, text: str) -> None:
    """Write a text and a line end to a file: all of it, or the file stays as it was.

    Raises:
        CommandError: it cannot be written.
    """
    with os_errors_told(Phrase("cannot write {file}", file=file)):
        if file.exists() and not file.is_file():  # a pipe or a device has nothing to lose
            file.write_text(text + "\n", encoding="utf-8")
        else:
            replace_file(file, f"{text}\n".encode(), suffix=f".{os.getpid()}")
