"""Writes text safely: in the language asked for, with control characters made visible, to the end or not at all.

It needs only the standard library, so that a command that just writes a result starts quickly.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from src.shared.domain.language import Language, Message, Phrase, UnknownLanguageError, language

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


def discard(stream: TextIO | None) -> None:
    """Send what a stream still holds nowhere, if it cannot be written: the interpreter flushes it once more."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


class Output(io.BufferedWriter):
    """A stream's bytes, written to the last one, that remembers whether its reader has gone away.

    Under `PYTHONUNBUFFERED` Python writes as much as the pipe takes and drops the rest without a word.
    """

    reader_is_gone = False

    def write(self, data: Buffer, /) -> int:
        """Write all of the data.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        with self._remembering():
            return super().write(data)

    def flush(self) -> None:
        """Write what is held back.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        with self._remembering():
            super().flush()

    @contextlib.contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self.reader_is_gone = True
            raise


@contextlib.contextmanager
def whole_stdout() -> Iterator[None]:
    """Let stdout be UTF-8 whatever the locale and, where it is no terminal, be written by `Output`."""
    before = sys.stdout
    if isinstance(before, io.TextIOWrapper):
        sys.stdout = _whole(before)
    try:
        yield
    finally:
        sys.stdout = before


def _whole(stream: io.TextIOWrapper) -> TextIO:
    try:
        number = stream.fileno()
    except OSError:  # it is in memory
        return stream
    if stream.isatty():
        stream.reconfigure(encoding="utf-8")
        return stream
    return io.TextIOWrapper(Output(io.FileIO(number, "wb", closefd=False)), encoding="utf-8", errors=stream.errors)


def reader_is_gone(stream: TextIO | None) -> bool:
    """Whether writing to the stream has failed because its reader is gone."""
    output = getattr(stream, "buffer", None)
    return isinstance(output, Output) and output.reader_is_gone


def spoken(what: str | Message, /, **values: object) -> str:
    """A text of the command line: in Chinese where that alone is asked for, else in English.

    Args:
        what: the English of it, as `Phrase` takes it; or a message.
        values: what the names in the English stand for.
    """
    message = Phrase(what, **values) if isinstance(what, str) else what
    return message.text(Language.ZH if language() is Language.ZH else Language.EN)


def wrong_language() -> str | None:
    """What is wrong with `LLM_OUTPUT_LANG`; None where it names a language, or is not set."""
    try:
        language()
    except UnknownLanguageError as error:
        return str(error)
    return None
