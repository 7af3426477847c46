"""The standard streams: either everything is written, or it is known that the stream is closed."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer


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
