"""The processes that read texts, seen from the service: each is asked for one thing at a time, and can be ended."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import pickle
import socket
import subprocess
import sys
import threading
from itertools import count
from typing import Any

from src.entrypoints.http import reading_process
from src.entrypoints.http.reading_process import END, ENVIRONMENT, LENGTH, ORDER, START, Failed

_PROGRAM = f"from {reading_process.__name__} import main; main()"
_AT_ONCE = 262_144
"""Bytes of an answer that are received at once."""


class ReaderDiedError(Exception):
    """The process has ended before it answered: it was killed, used up its time, or ran out of memory."""


class ReadingFailedError(Exception):
    """An error of ours in a reader.

    Attributes:
        place: its type and its line of code.
    """

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


class Reader:
    """One process."""

    def __init__(self, connection: socket.socket, number: int) -> None:
        self._connection, self._number = connection, number

    async def ask(self, message: bytes) -> Any:  # noqa: ANN401 - what the job returns
        """What comes of a job.

        Raises:
            ReaderDiedError: nothing does: the process is gone.
            ReadingFailedError: the job raised an exception.
        """
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self._connection, message)
            received = bytearray()
            while len(received) < LENGTH.size or len(received) < LENGTH.size + LENGTH.unpack_from(received)[0]:
                piece = await loop.sock_recv(self._connection, _AT_ONCE)
                if not piece:
                    raise ReaderDiedError
                received += piece
        except OSError:
            raise ReaderDiedError from None
        answer = pickle.loads(memoryview(received)[LENGTH.size :])  # noqa: S301 - from a process of ours
        if isinstance(answer, Failed):
            raise ReadingFailedError(answer.place)
        return answer

    def end(self) -> None:
        """End it, whatever it does."""
        self._connection.close()
        NURSERY.end(self._number)


class Nursery:
    """The process that readers are copied from. There is one of it in each process of the service, if any is needed."""

    def __init__(self) -> None:
        self._lock, self._numbers = threading.Lock(), count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None

    def reader(self, niceness: int) -> Reader:
        """A new reader, which can be asked at once; what it is asked waits until it is there.

        Args:
            niceness: how far it steps back behind other processes, 0 to 19.
        """
        ours, theirs = socket.socketpair()
        ours.setblocking(False)  # noqa: FBT003 - the library's way
        number = next(self._numbers)
        with self._lock, theirs:
            self._order(ORDER.pack(START, number, niceness), [theirs.fileno()])
        return Reader(ours, number)

    @property
    def pid(self) -> int | None:
        """Its process; None before it is needed."""
        return self._process.pid if self._process else None

    def end(self, number: int) -> None:
        """End a reader."""
        with self._lock, contextlib.suppress(OSError):  # without a nursery there are no readers
            if self._orders:
                self._orders.sendall(ORDER.pack(END, number, 0))

    def close(self) -> None:
        """End it, and every reader."""
        if self._process and self._orders:
            self._orders.close()  # which it sees
            self._process.wait()

    def _order(self, order: bytes, handles: list[int]) -> None:
        orders = self._orders if self._process and self._process.poll() is None else None
        try:
            socket.send_fds(orders or self._start(), [order], handles)
        except OSError:  # it has ended just now
            socket.send_fds(self._start(), [order], handles)

    def _start(self) -> socket.socket:
        if self._process is None:
            atexit.register(self.close)
        self.close()
        self._orders, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with our own module
                [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno())],
                env=_environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        return self._orders


NURSERY = Nursery()


def _environment() -> dict[str, str]:
    """What a process needs in order to run this code, and no secret."""
    kept = {name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith("PYTHON")}
    return {**kept, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)}
