"""A standard stream that cannot be written any more."""

from __future__ import annotations

import contextlib
import os
from typing import TextIO


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
