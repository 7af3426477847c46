"""Two ways to run the committee's command line: in this process, and as the process a shell would start."""

import sys
from functools import partial
from pathlib import Path

from examples.committee.__main__ import app
from tests.entrypoints.cli import harness
from tests.entrypoints.cli.harness import ROOT, Ended, environment

__all__ = ["PROGRAM", "ROOT", "Ended", "environment", "invoke", "run"]

PROGRAM = (sys.executable, "-m", "examples.committee")
invoke = partial(harness.invoke, of=app)


def run(*arguments: str, stdin: bytes = b"", cwd: Path = ROOT, **changes: str) -> Ended:
    """Run a command as a process of its own."""
    return harness.run(*arguments, stdin=stdin, cwd=cwd, program=PROGRAM, **changes)
