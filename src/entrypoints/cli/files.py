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
    with os_errors_told(f"无法读取 {name}", f"cannot read {name}"):
        try:
            return Path(name).read_bytes()
        except FileNotFoundError as error:
            raise CommandError(f"没有文件 {name}", f"there is no file {name}") from error
        except IsADirectoryError as error:
            raise CommandError(f"{name} 是目录；请给出文件", f"{name} is a directory; name a file") from error


def _stdin() -> bytes:
    if sys.stdin is None:
        raise CommandError("标准输入已关闭；请给出文件", "stdin is closed; name a file")
    if not sys.stdin.isatty():
        return _bytes_of_stdin()
    from src.entrypoints.cli.screen import say  # noqa: PLC0415 - a file needs no rich

    say(
        "正在从终端读取：粘贴文本，然后在单独一行按 Ctrl-D。",
        "Reading from the terminal: paste the text, then press Ctrl-D on a line of its own.",
    )
    typed = _bytes_of_stdin()
    if not typed:
        raise CommandError(
            "没有输入任何内容；请给出文件，或用管道传入文本",
            "nothing was typed; name a file, or pipe a text into llm-output",
        )
    return typed


def _bytes_of_stdin() -> bytes:
    with os_errors_told("无法读取标准输入", "cannot read stdin"):  # such as a directory as stdin
        return sys.stdin.buffer.read()


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        byte, advice = f"0x{data[error.start]:02x}", _advice(data, name)
        raise CommandError(
            f"{name} 不是 UTF-8：偏移 {error.start} 处的字节为 {byte}{advice}",
            f"{name} is not UTF-8: byte {byte} at offset {error.start}{advice}",
        ) from error


def _advice(data: bytes, name: str) -> str:
    if not data.startswith(_UTF_16_MARKS) and b"\x00" in data:
        return spoken("；其中有 NUL 字节，可能不是文本", "; it holds NUL bytes, so it is probably not a text at all")
    encoding = "UTF-16" if data.startswith(_UTF_16_MARKS) else "GB18030"
    file = name if Path(name).exists() else "FILE"
    command = f"iconv -f {encoding} -t UTF-8 {file}"
    return spoken(f"；请转换编码，例如：{command}", f"; re-encode it, for example: {command}")


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
        raise CommandError(
            f"对象已读出，但无法写出：{error}", f"the object was read, but cannot be written: {error}"
        ) from error
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
    with os_errors_told(f"无法写入 {file}", f"cannot write {file}"):
        if file.exists() and not file.is_file():  # a pipe or a device has nothing to lose
            file.write_text(text + "\n", encoding="utf-8")
        else:
            replace_file(file, f"{text}\n".encode(), suffix=f".{os.getpid()}")
