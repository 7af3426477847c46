"""Two ways to run the committee's command line: in this process, and as the process a shell would start."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from examples.committee.__main__ import app
from tests.entrypoints.cli import harness
from tests.entrypoints.cli.harness import ROOT, Ended, environment
from tests.processes import LIMIT

__all__ = ["PROGRAM", "ROOT", "Ended", "environment", "interrupted", "invoke", "run"]

PROGRAM = (sys.executable, "-m", "examples.committee")
invoke = partial(harness.invoke, of=app)


def run(*arguments: str, stdin: bytes = b"", cwd: Path = ROOT, **changes: str) -> Ended:
    """Run a command as a process of its own."""
    return harness.run(*arguments, stdin=stdin, cwd=cwd, program=PROGRAM, **changes)


def interrupted(is_time: Callable[[], bool], *arguments: str, how: int = signal.SIGINT) -> Ended:
    """Run a command here, and send it a signal when it is time; one that it does not handle is Ctrl-C."""
    is_over = threading.Event()
    before = signal.signal(how, signal.default_int_handler)

    def interrupt() -> None:
        while not is_over.wait(0.01):
            if is_time():
                os.kill(os.getpid(), how)
                return

    watcher = threading.Thread(target=interrupt, daemon=True)
    watcher.start()
    try:
        return invoke(*arguments)
    finally:
        is_over.set()
        watcher.join(LIMIT)
        signal.signal(how, before)
