"""A worker and the one who looks after it: a text that kills it costs that text, and no other."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Generic, TypeVar, cast

from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.infrastructure.workers import program
from src.modules.reparsing.infrastructure.workers.program import Items, Limits, Piece, Start, Started, Task
from src.shared.domain.language import Message, Phrase

R = TypeVar("R")

_ROOT = __name__.partition(".")[0]
_BOOT = (
    f"import json, sys; own, paths = json.loads(sys.argv[1]); sys.path.insert(0, own); import {_ROOT}; "
    f"sys.path[:] = paths; from {program.__name__} import main; main()"
)
"""What a worker begins with: this package, whatever another one of its name in the current directory, and our paths."""
_OWN = str(Path(sys.modules[_ROOT].__path__[0]).parent)
_START_SECONDS = 120.0
_STARTS = 3
"""How often a worker may die before it is ready, in a row."""
_STRIKES = 2
"""How often a worker has to die at the same item, which it handles first, until that item is to blame."""
_SLACK = 0.5
_CLOSED = Phrase("stopped")


class _Dead(Exception):  # noqa: N818 - not an error: what is to be found out
    """The worker is dead, and why."""

    def __init__(self, why: Message, *, in_time: bool) -> None:
        super().__init__(why.en)
        self.why = why
        self.in_time = in_time


class SupervisedWorker(Generic[R]):
    """Handles items in a process of its own, which is started again whenever it dies.

    Not for several threads at once.
    """

    def __init__(self, task: Task, limits: Limits, blame: Callable[[Any, Message], R]) -> None:
        """Start nothing yet.

        Args:
            task: what the worker does.
            limits: what an item may take.
            blame: makes what came of an item on which the worker dies, from the item and the reason.
        """
        self._start = Start(task, limits)
        self._blame = blame
        self._process: _Process | None = None
        self._closed = False

    def run(self, items: Sequence[Any]) -> list[R]:
        """What came of the items, in their order, in pieces.

        When the worker dies, some of the items have no answer yet. A new worker then handles them one by one. The item
        at which it dies once more is handled first by a third one, since something else may have killed the second. An
        item that takes too long is not tried a third time.

        Raises:
            BatchReaderError: a worker cannot be started.
        """
        results: list[R] = []
        done, strikes, one_by_one = 0, 0, False
        while done < len(items):
            before = done
            try:
                for piece in self._ready().pieces(Items(tuple(items[done:]), one_by_one)):
                    results.append(piece.result)
                    done += piece.items
            except _Dead as dead:
                self._end()
                strikes = (strikes if done == before else 0) + one_by_one
                if strikes >= _STRIKES or (strikes and not dead.in_time):
                    results.append(self._blame(items[done], dead.why))
                    done, strikes = done + 1, 0
                one_by_one = True
        return results

    def start(self) -> None:
        """Start the process now.

        Raises:
            BatchReaderError: it cannot be started.
        """
        self._ready()

    def close(self) -> None:
        """End the process, if there is one, and start no other. May be called while another thread runs items."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            process.end()

    def _ready(self) -> _Process:
        process, deaths = self._process, list[_Dead]()
        while process is None:
            self._process = process = _Process(self._start.limits.seconds)
            try:
                process.begin(self._start)
            except _Dead as dead:
                self._end()
                process = None
                deaths.append(dead)
            if self._closed:
                self._end()
                raise BatchReaderError(_CLOSED.text())
            if len(deaths) == _STARTS:
                raise BatchReaderError(deaths[-1].why.text())
        return process


class _Process:
    """One process, and a watch that kills it when it is silent for too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._popen = subprocess.Popen(  # noqa: S603 - this interpreter, with our own line
            [sys.executable, "-P", "-c", _BOOT, json.dumps([_OWN, sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": "0"},  # the order of a set in an output is the same in every worker
        )
        self._deadline = float("inf")
        self._is_late = False
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, start: Start) -> None:
        """Tell the worker what it does, and wait until it can."""
        self._deadline = time.monotonic() + _START_SECONDS
        self._send(start)
        started: Started = self._received()
        self._deadline = float("inf")
        if started.failed:
            raise BatchReaderError(started.failed)

    def pieces(self, request: Items) -> Any:  # noqa: ANN401 - an iterator of Piece
        """What comes of the items, until the last of them."""
        self._deadline = time.monotonic() + self._seconds + _SLACK
        self._send(request)
        is_last = False
        while not is_last:
            piece: Piece = self._received()
            self._deadline = time.monotonic() + self._seconds + _SLACK
            is_last = piece.is_last
            if piece.items:
                yield piece
        self._deadline = float("inf")

    def end(self) -> None:
        """Kill the process and wait for its end."""
        self._over.set()
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            with contextlib.suppress(OSError):
                cast("IO[bytes]", stream).close()

    def _send(self, message: object) -> None:
        stream = cast("IO[bytes]", self._popen.stdin)
        try:
            pickle.dump(message, stream, pickle.HIGHEST_PROTOCOL)
            stream.flush()
        except (OSError, ValueError):  # the other end, or this one, is closed
            raise self._death() from None

    def _received(self) -> Any:  # noqa: ANN401 - a message of the worker's
        try:
            return pickle.load(cast("IO[bytes]", self._popen.stdout))  # noqa: S301 - from a process of ours
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise self._death() from None

    def _death(self) -> _Dead:
        self._popen.kill()
        code = self._popen.wait()
        if self._is_late:
            why = Phrase("it took longer than {seconds:g} seconds", seconds=self._seconds)
        elif code < 0:
            name = signal.Signals(-code).name
            why = Phrase("the reading process was killed: {name}", name=name)
        else:
            why = Phrase("the reading process ended by itself: exit code {code}", code=code)
        return _Dead(why, in_time=not self._is_late)

    def _watch(self) -> None:
        while not self._over.wait(min(0.25, self._seconds / 4)):
            if time.monotonic() > self._deadline:
                self._is_late = True
                self._popen.kill()
                return
