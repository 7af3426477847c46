"""Asks a library for every case, in a process of its own with a limit of time for each text."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.benchmarks.verdict import Refused
from tools.conformance.cases import Case, judge

ROOT = Path(__file__).parents[2]
OUTCOMES = ("right", "wrong", "refused", "crashed", "hung")
VERDICTS = ("one", "several", "none")
START_SECONDS = 120.0
SECONDS = 10.0
"""The limit for one text."""


class Counts(NamedTuple):
    """What came of the cases in one library: the number for each verdict and outcome, in their order."""

    name: str
    version: str
    numbers: tuple[tuple[int, ...], ...]


class Worker:
    """A program that answers a line with a line; started again after it had to be ended, or has ended itself.

    Raises:
        RuntimeError: it did not say that it is ready.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._start()

    def ask(self, case: Case, seconds: float) -> str:
        """What came of a case."""
        request = json.dumps({"text": case.text, "type": case.type})
        try:
            self._process.stdin.write(f"{request}\n".encode())  # type: ignore[union-attr]  # piped
            self._process.stdin.flush()  # type: ignore[union-attr]  # piped
            answer = self._line(seconds)
        except BrokenPipeError:
            answer = b""
        if not answer or not answer.endswith(b"\n"):
            self.stop()
            self._start()
            return "hung" if answer is None else "crashed"
        decoded: dict[str, Any] = json.loads(answer)
        return judge(case, Refused(decoded["refused"]) if "refused" in decoded else decoded["value"])

    def stop(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate(timeout=START_SECONDS)

    def _start(self) -> None:
        message = f"{' '.join(self._command)} did not start"
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the caller's command
                self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=ROOT, bufsize=0
            )
        except OSError as error:
            raise RuntimeError(message) from error
        ready = self._line(START_SECONDS)
        if not ready:
            self.stop()
            raise RuntimeError(message)
        self.version = str(json.loads(ready).get("version"))

    def _line(self, seconds: float) -> bytes | None:
        """The next line; None if it did not come in time."""
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - piped
        return stdout.readline() if select.select([stdout], [], [], seconds)[0] else None


def count(name: str, command: Sequence[str], cases: Iterable[Case], seconds: float = SECONDS) -> Counts:
    """What comes of the cases in a library.

    Raises:
        RuntimeError: its program does not start.
    """
    worker = Worker(command)
    counts: Counter[tuple[str, str]] = Counter()
    try:
        for case in cases:
            counts[case.verdict, worker.ask(case, seconds)] += 1
    finally:
        worker.stop()
    numbers = tuple(tuple(counts[verdict, outcome] for outcome in OUTCOMES) for verdict in VERDICTS)
    return Counts(name, worker.version, numbers)


def command_of(name: str, python: str = sys.executable) -> list[str]:
    """The worker of a library of `libraries.py`."""
    return [python, "-m", "tools.conformance.libraries", name]
