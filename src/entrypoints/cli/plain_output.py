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

from src.shared.domain.language import Language, Message, Phrase, language

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PICTURES = 0x2400
"""Unicode's pictures of the control characters 0 to 31 begin here: U+240A is ␊."""
_DELETE = "\x7f"
_NOT_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with every character a terminal would obey or hide made visible.

    Control characters become their pictures (␊ ␉ ␛), others that do not print (zero-width, direction marks,
    non-breaking spaces, lone surrogates) their escapes (`\u200b`).
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if char < " ":
        return chr(_PICTURES + ord(char))
    if char == _DELETE:
        return "␡"
    return char.encode("unicode_escape").decode("ascii")


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


class _Pipe(io.FileIO):
    """The bytes of a stream. What follows a failure is dropped: the interpreter flushes at its end what is left."""

    failure: OSError | None = None

    def write(self, data: Buffer, /) -> int:
        if self.failure:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            raise


def _on_pipe(stream: TextIO | None, encoding: str | None = None) -> TextIO | None:
    """The same stream on a pipe of ours, if it has a file: one that is written to its last byte."""
    try:
        number = stream.fileno() if isinstance(stream, io.TextIOWrapper) else None
    except OSError:  # it is in memory
        number = None
    if number is None or not isinstance(stream, io.TextIOWrapper):
        return stream
    raw = io.BufferedWriter(_Pipe(number, "wb", closefd=False))
    lines = stream.line_buffering or raw.isatty()
    return io.TextIOWrapper(raw, encoding or stream.encoding, stream.errors, line_buffering=lines)


@contextlib.contextmanager
def whole_streams() -> Iterator[None]:
    """Write both streams whole, and stdout as UTF-8 whatever the locale.

    Under `PYTHONUNBUFFERED` Python writes as much as the pipe takes and drops the rest without a word.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _on_pipe(before[0], "utf-8"), _on_pipe(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def is_reader_gone() -> bool:
    """Whether writing to stdout has failed because its reader is gone."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, _Pipe) and isinstance(raw.failure, BrokenPipeError)


def spoken(what: str | Message, /, **values: object) -> str:
    """A text of the command line: in Chinese where that alone is asked for, else in English.

    Args:
        what: the English of it, as `Phrase` takes it; or a message.
        values: what the names in the English stand for.
    """
    message = Phrase(what, **values) if isinstance(what, str) else what
    return message.text(Language.ZH if language() is Language.ZH else Language.EN)
