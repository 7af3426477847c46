"""How much processor time a command takes from its start to its end: `python -m tools.benchmarks.start`.

Source files are compiled once beforehand, as they are in an installed package.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

RECORDINGS = Path(__file__).parents[2] / "src/entrypoints/cli/recordings/verdict"
PROGRAM = (sys.executable, "-m", "src.entrypoints.cli.main")
COMMANDS: dict[str, tuple[str, ...]] = {
    "importing pydantic.BaseModel": (sys.executable, "-c", "from pydantic import BaseModel"),
    "llm-output --version": (*PROGRAM, "--version"),
    "llm-output parse, clean text": (*PROGRAM, "parse", str(RECORDINGS / "clean.txt")),
    "llm-output parse --agent, clean text": (*PROGRAM, "parse", str(RECORDINGS / "clean.txt"), "--agent", "verdict"),
    "llm-output parse --agent, damaged": (
        *PROGRAM,
        "parse",
        str(RECORDINGS / "damaged.txt"),
        "--agent",
        "verdict",
    ),
    "llm-output --help": (*PROGRAM, "--help"),
}
_RUNS = 3


def seconds_of(*command: str) -> float:
    """The processor time of a command, user and system, in seconds: the least of a few runs."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": _compiled().name, "PYTHONPATH": str(RECORDINGS.parents[4])}
    return min([_run(command, environment) for _ in range(_RUNS + 1)][1:])


@cache
def _compiled() -> tempfile.TemporaryDirectory[str]:
    """Where all commands have their compiled files; removed at the end of this process."""
    return tempfile.TemporaryDirectory()


def _run(command: tuple[str, ...], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - our own commands
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


if __name__ == "__main__":
    for name, command in COMMANDS.items():
        print(f"{seconds_of(*command):6.3f} s  {name}")
