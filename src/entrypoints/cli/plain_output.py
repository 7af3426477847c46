"""Writes text safely: in the language asked for, with control characters made visible, to the end or not at all.

It needs only the standard library, so that a command that just writes a result starts quickly.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.language import Language, Message, Phrase, language

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PICTURES = {chr(code): chr(0x2400 + code) for code in range(32)} | {"\x7f": "␡"}
"""Unicode's pictures of the control characters."""
_NOT_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with every character a terminal would obey or hide made visible.

    Control characters become their pictures (␊ ␉ ␛), others that do not print (zero-width, direction marks,
    non-breaking spaces, lone surrogates) their escapes (`\u200b`).
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else _PICTURES.get(char) or char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def json_text(value: object) -> str:
    """JSON for people and programs: indented, not escaped to ASCII, and safe to print.

    What a terminal would obey, and what UTF-8 cannot hold (a lone surrogate), is escaped as JSON allows, so that the
    value stays the same.

    Raises:
        ValueError: it cannot be written as JSON.
        RecursionError: nested too deeply.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def write_stdout(text: str) -> None:
    """Write a result and a line end; flushed, so that a reader who has gone away is noticed now, not at exit."""
    if sys.stdout is None:
        raise BrokenPipeError
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class _Stream(io.FileIO):
    """The bytes of stdout or stderr.

    Where nobody reads stdout any more, the process ends, and what the interpreter flushes then is dropped. What stderr
    does not take is dropped alone: the result is wanted all the same, and the next line of a log may be taken.
    """

    is_stdout = has_failed = False

    def write(self, data: Buffer, /) -> int:
        try:
            return memoryview(data).nbytes if self.has_failed else super().write(data)
        except OSError as error:
            self.has_failed = self.is_stdout
            if self.is_stdout and isinstance(error, BrokenPipeError):
                raise SystemExit(ExitCode.OUTPUT_CLOSED) from None
            if self.is_stdout:
                raise
        return memoryview(data).nbytes


def _whole(stream: TextIO, *, is_stdout: bool = False) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):  # there may be none
        return stream
    encoding = "utf-8" if is_stdout else stream.encoding
    try:
        raw = _Stream(stream.fileno(), "wb", closefd=False)
    except OSError:  # it is in memory
        return stream
    is_terminal = raw.isatty()
    if is_terminal and sys.platform == "win32":  # a terminal of Windows does not take bytes
        stream.reconfigure(encoding=encoding)
        return stream
    raw.is_stdout = is_stdout
    by_line = is_terminal or not is_stdout
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, stream.errors, line_buffering=by_line)


@contextlib.contextmanager
def whole_streams() -> Iterator[None]:
    """Write both streams to their last byte, stdout as UTF-8 whatever the locale.

    Under `PYTHONUNBUFFERED` Python writes as much as the pipe takes and drops the rest without a word.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _whole(before[0], is_stdout=True), _whole(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def spoken(what: str | Message, /, **values: object) -> str:
    """A text of the command line: in Chinese where that alone is asked for, else in English.

    Args:
        what: the English of it, as `Phrase` takes it; or a message.
        values: what the names in the English stand for.
    """
    message = Phrase(what, **values) if isinstance(what, str) else what
    return message.text(Language.ZH if language() is Language.ZH else Language.EN)
