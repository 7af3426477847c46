"""Processes that are started beside a test: none is waited for without a limit, and none outlives its block."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import AnyStr

LIMIT = 300.0
"""Seconds after which what takes seconds hangs, on a slow machine too; half of what a test has in pyproject.toml."""


@contextmanager
def ending(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """Within the block a process may run; then it is killed, where `with process` would wait for ever."""
    try:
        yield process
    finally:
        process.kill()
        process.wait(LIMIT)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
