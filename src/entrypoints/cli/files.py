"""Texts that a command reads, and results that it writes: files and the standard streams."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from src.entrypoints.cli.guard import CommandError, os_errors_as
from src.entrypoints.cli.options import ResultOptions
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.shared.domain.exceptions import json_path
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
    name, data = ("<stdin>", _stdin()) if file == STDIN else (file, _bytes_of(file))
    try:
        return Source(name, data.decode("utf-8").removeprefix(_BOM))
    except UnicodeDecodeError as error:
        if b"\x00" in data and not data.startswith(_UTF_16_MARKS):
            advice = Phrase("; it holds NUL bytes, so it is probably not a text at all")
        else:
            encoding = "UTF-16" if data.startswith(_UTF_16_MARKS) else "GB18030"
            command = f"iconv -f {encoding} -t UTF-8 {'FILE' if file == STDIN else file}"
            advice = Phrase("; re-encode it, for example: {command}", command=command)
        byte = f"0x{data[error.start]:02x}"
        raise CommandError(
            "{name} is not UTF-8: byte {byte} at offset {start}{advice}",
            name=name,
            byte=byte,
            start=error.start,
            advice=advice,
        ) from error


def _bytes_of(file: str) -> bytes:
    with os_errors_as(Phrase("cannot read {name}", name=file)):
        try:
            return Path(file).read_bytes()
        except FileNotFoundError as error:
            raise CommandError("there is no file {name}", name=file) from error
        except IsADirectoryError as error:
            raise CommandError("{name} is a directory; name a file", name=file) from error


def _stdin() -> bytes:
    if sys.stdin is None:
        raise CommandError("stdin is closed; name a file")
    is_typed = sys.stdin.isatty()
    if is_typed:
        from src.entrypoints.cli.screen import say  # noqa: PLC0415 - a file needs no rich

        say(spoken("Reading from the terminal: paste the text, then press Ctrl-D on a line of its own."))
    with os_errors_as(Phrase("cannot read stdin")):  # such as a directory as stdin
        data = sys.stdin.buffer.read()
    if is_typed and not data:
        raise CommandError("nothing was typed; name a file, or pipe a text into llm-output")
    return data


def value_writer(data: object, result: ResultOptions) -> Callable[[], None]:
    """How to write a result of JSON types. Made before anything is said on stderr: what cannot be written is an error.

    Raises:
        CommandError: it cannot be written.
    """
    write: Callable[[str], None] = partial(write_file, result.output) if result.output else write_stdout
    try:
        if result.output_format == "json":
            return partial(write, json_text(data))
        from src.entrypoints.cli.screen import leaves, plain_table, print_table, table_text  # noqa: PLC0415 - as above

        table = plain_table(spoken("field"), spoken("value"))
        for path, value in leaves(data):
            table.add_row(visible(json_path(path)), visible(value if isinstance(value, str) else json.dumps(value)))
        return partial(write, table_text(table)) if result.output else partial(print_table, table)
    except (ValueError, RecursionError) as error:
        raise CommandError("the object was read, but cannot be written: {error}", error=error) from error


def write_file(file: Path, text: str) -> None:
    """Write a text and a line end to a file: all of it, or the file stays as it was.

    Raises:
        CommandError: it cannot be written.
    """
    with os_errors_as(Phrase("cannot write {file}", file=file)):
        if file.exists() and not file.is_file():  # a pipe or a device has nothing to lose
            file.write_text(text + "\n", encoding="utf-8")
        else:
            replace_file(file, f"{text}\n".encode(), suffix=f".{os.getpid()}")
