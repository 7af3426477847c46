"""Readings in a process of their own, which is killed where one does not end."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import NamedTuple

from tools.attack.growth import peak, seconds, slowness
from tools.attack.hostile_ways import WAYS
from tools.attack.quiet import quiet

PATIENCE = 10.0
"""Seconds after which a reading counts as one that hangs."""
HANGS = "hangs"


class Measured(NamedTuple):
    """What one reading took.

    Attributes:
        seconds: of the processor, the shortest of the readings.
        peak: bytes that were in use at most, beside what was read; 0 where nobody asked.
        error: the exception that is none of the project's, or how the process ended; empty if all is well.
    """

    seconds: float
    peak: int = 0
    error: str = ""


class Task(NamedTuple):
    """A reading.

    Attributes:
        way: how it is read.
        text: what is read.
        times: how often.
        memory: whether its memory is asked for.
        unhurried: whether the seconds are to be those of a machine without other load.
    """

    way: str
    text: str
    times: int = 1
    memory: bool = False
    unhurried: bool = False


class Child:
    """A process that reads what it is given. It begins with the first reading, and again after one that hangs."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._context = multiprocessing.get_context("spawn")
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def measure(self, task: Task) -> Measured:
        """Read a text there; one that hangs is given up."""
        pipe = self._pipe or self._begin()
        try:
            pipe.send(task)
            if pipe.poll(self._patience * task.times):
                measured: Measured = pipe.recv()
                return measured
        except (EOFError, OSError):
            self.close()
            return Measured(0, error="the process died")
        self.close()
        return Measured(self._patience, error=HANGS)

    def _begin(self) -> Connection:
        here, there = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(there,), daemon=True)
        self._process.start()
        there.close()
        self._pipe = here
        here.recv()  # it has imported what it needs
        return here

    def close(self) -> None:
        """End the process."""
        if self._process and self._pipe:
            self._process.kill()
            self._process.join(self._patience)
            self._pipe.close()
        self._process = self._pipe = None


def _serve(pipe: Connection) -> None:
    quiet()
    pipe.send(None)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        pipe.send(_measured(task))


def _measured(task: Task) -> Measured:
    try:
        read = WAYS[task.way].read
        took = seconds(read, task.text, task.times) / (slowness() if task.unhurried else 1)
        return Measured(took, peak(read, task.text) if task.memory else 0)
    except Exception as error:  # noqa: BLE001 - that this never happens is one of the promises
        return Measured(0, error=f"{type(error).__name__}: {str(error)[:200]}")
