"""One process for each library: no shared heap, no shared garbage, and a hang or a crash costs one cell of a table."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from tools.benchmarks.framework_peers import FRAMEWORKS
from tools.benchmarks.peers import PEERS
from tools.benchmarks.verdict import Refused, Verdict, judge

_START_SECONDS = 120.0
_CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Load:
    """Read this text from now on, and say what becomes of it."""

    text: str
    expected: Any
    typed: bool = True


@dataclass(frozen=True, slots=True)
class Again:
    """Read the loaded text so many times."""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The seconds of one reading, and for a loaded text the verdict."""

    seconds: float
    verdict: Verdict


class Worker:
    """The process of one library, started again after it had to be killed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start()

    def ask(self, request: Load | Again, seconds: float) -> Answer:
        """Return the answer; after `seconds` the process is killed and the verdict is over budget."""
        try:
            self._connection.send(request)
            if self._connection.poll(seconds):
                answer: Answer = self._connection.recv()
                return answer
            verdict = Verdict.OVER_BUDGET
        except (EOFError, OSError):
            verdict = Verdict.CRASHED
        self.stop()
        self._start()
        return Answer(seconds, verdict)

    def stop(self) -> None:
        """End the process and whatever it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        self._process.join(_START_SECONDS)

    def _start(self) -> None:
        self._connection, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, self._name), daemon=True)
        self._process.start()
        theirs.close()
        if not self._connection.poll(_START_SECONDS) or self._connection.recv() != "ready":
            message = f"{self._name} did not start"
            raise RuntimeError(message)
        self._pid = self._process.pid or 0


def _serve(connection: Connection, name: str) -> None:
    os.setsid()
    warnings.simplefilter("ignore")
    reader = next(peer for peer in (*PEERS, *FRAMEWORKS) if peer.name == name).load()
    gc.collect()
    gc.freeze()  # what a library imports is not garbage to look through at each reading
    connection.send("ready")
    loaded = Load("", None)
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        if isinstance(request, Load):
            loaded = request
        number = request.number if isinstance(request, Again) else 1
        seconds, value = reader.once(loaded.text, typed=loaded.typed, number=number)
        refused = isinstance(value, Refused)
        verdict = Verdict.REFUSED if refused else judge(value, loaded.expected)
        connection.send(Answer(seconds, verdict))
