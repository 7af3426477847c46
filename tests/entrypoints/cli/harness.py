"""Two ways to run the command line: in this process, and as the process a shell would start."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer import Typer
from typer.testing import CliRunner

from src.entrypoints.cli.app import app
from tests.log_lines import structlog_unconfigured

ROOT = Path(__file__).parents[3]
PROGRAM = (sys.executable, "-m", "src.entrypoints.cli.main")
RECORDINGS = ROOT / "src/entrypoints/cli/recordings"
CLEAN_VERDICT = str(RECORDINGS / "verdict/clean.txt")


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    stdout: str
    stderr: str


def invoke(*arguments: str, text: str | bytes = "", columns: int = 100, of: Typer = app) -> Ended:
    """Run a command here, with `text` on stdin and a terminal of so many columns.

    A command configures the log of the whole process; that is taken back.
    """
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    with structlog_unconfigured():
        result = CliRunner().invoke(of, arguments, input=text, env=environment, catch_exceptions=False)
    return Ended(result.exit_code, result.stdout, result.stderr)


def environment(**changes: str) -> dict[str, str]:
    """This process's environment, with this project importable."""
    return os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"} | changes


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path = ROOT, program: tuple[str, ...] = PROGRAM, **changes: str
) -> Ended:
    """Run a command as a process of its own."""
    process = subprocess.run(  # noqa: S603 - our own program
        [*program, *arguments], input=stdin, capture_output=True, cwd=cwd, env=environment(**changes), check=False
    )
    return Ended(process.returncode, process.stdout.decode(), process.stderr.decode())
