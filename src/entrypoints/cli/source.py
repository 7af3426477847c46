"""The text to parse: a file or stdin, read as bytes and decoded as UTF-8, so that offsets stay the same."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from src.entrypoints.cli.guard import CommandError

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
    try:
        return Path(name).read_bytes()
    except FileNotFoundError as error:
        message = f"there is no file {name}"
        raise CommandError(message) from error
    except IsADirectoryError as error:
        message = f"{name} is a directory; name a file"
        raise CommandError(message) from error
    except OSError as error:
        message = f"cannot read {name}: {error.strerror or error}"
        raise CommandError(message) from error


def _stdin() -> bytes:
    if sys.stdin is None:
        message = "stdin is closed; name a file"
        raise CommandError(message)
    if not sys.stdin.isatty():
        return _bytes_of_stdin()
    from src.entrypoints.cli.screen import stderr  # noqa: PLC0415 - a file needs no rich

    stderr().print("Reading from the terminal: paste the text, then press Ctrl-D on a line of its own.")
    typed = _bytes_of_stdin()
    if not typed:
        message = "nothing was typed; name a file, or pipe a text into llm-output"
        raise CommandError(message)
    return typed


def _bytes_of_stdin() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:  # such as a directory as stdin
        message = f"cannot read stdin: {error.strerror or error}"
        raise CommandError(message) from error


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}{_advice(data, name)}"
        raise CommandError(message) from error


def _advice(data: bytes, name: str) -> str:
    if not data.startswith(_UTF_16_MARKS) and b"\x00" in data:
        return "; it holds NUL bytes, so it is probably not a text at all"
    encoding = "UTF-16" if data.startswith(_UTF_16_MARKS) else "GB18030"
    file = name if Path(name).exists() else "FILE"
    return f"; re-encode it, for example: iconv -f {encoding} -t UTF-8 {file}"
