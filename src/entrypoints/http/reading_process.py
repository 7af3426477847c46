"""The processes that read texts, seen from inside: readers, and the nursery that they are copied from.

The nursery has the parser loaded, runs no thread and reads no text: it copies itself whenever the service asks for a
reader, which takes milliseconds. It ends every reader that it is told to end, and all of them when the service is gone.
None of them has a secret: they get the variables of `ENVIRONMENT` and no others. None of them logs anything.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from src.shared.domain.language import Language, speaking

ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV")
"""The variables that these processes get, besides those of Python itself."""
ORDER = struct.Struct("!cIb")
"""An order to the nursery: what, the reader's number, and its niceness."""
START, END = b"S", b"E"
"""Orders: copy yourself (with the socket of the new reader), and end a reader."""
LENGTH = struct.Struct("!Q")
"""In front of each message to and from a reader."""
_PIECE = 1_048_576
_EASILY_KILLED = "500"
"""The kernel ends a reader before the service when the machine is out of memory."""


class Job(NamedTuple):
    """Something to do in a reader.

    Attributes:
        function: a function of a module; it is sent by its name.
        arguments: of it.
        language: of messages.
        processor_seconds: processor time after which the process is ended; 0 for no limit.
        seconds: after which it is ended, whatever it does.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    language: Language
    processor_seconds: float
    seconds: float


class Failed(NamedTuple):
    """An error of ours: its type and its place; its message may hold a piece of a text."""

    place: str


def message_of(value: object) -> bytes:
    """A value as a message."""
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(packed)) + packed


def place_of(error: BaseException) -> str:
    """The type of an error and the line of code, for the log; a message may hold a piece of a text."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} in {last.name}, line {last.lineno}" if last else type(error).__name__


def main() -> None:
    """Be the nursery, until the service is gone."""
    for ignored in (signal.SIGINT, signal.SIGTERM):  # these are for the service, which ends readers when it stops
        signal.signal(ignored, signal.SIG_IGN)
    for ending in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(ending, signal.SIG_DFL)
    _prepare()
    orders = socket.socket(fileno=int(sys.argv[1]))
    readers: dict[int, int] = {}
    while True:
        order, handles, _, _ = socket.recv_fds(orders, ORDER.size, 1)
        if not order:
            break
        what, number, niceness = ORDER.unpack(order)
        if what == START:
            readers[number] = _born(orders, handles[0], niceness)
        elif number in readers:
            _end(readers.pop(number))
    for pid in readers.values():
        _end(pid)


def _prepare() -> None:
    """Load what every reader needs, before the first is copied."""
    import gc  # noqa: PLC0415 - of these processes alone

    from src.entrypoints.http.log import log_nothing  # noqa: PLC0415 - as above

    log_nothing()
    _warm_up()
    gc.collect()
    gc.freeze()


def _warm_up() -> None:
    from src.entrypoints.http.reading import warm_up  # noqa: PLC0415 - of these processes alone

    warm_up()


def _born(orders: socket.socket, handle: int, niceness: int) -> int:
    pid = os.fork()
    if pid:
        os.close(handle)
        return pid
    try:
        orders.close()
        _be_modest(niceness)
        _warm_up()  # for the copy that the first text would have to make of each page
        with contextlib.suppress(OSError):  # the service is gone
            _read_for(socket.socket(fileno=handle))
    finally:
        os._exit(0)


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _be_modest(niceness: int) -> None:
    """Let the service, and everything else, go first."""
    os.nice(niceness)
    os.setsid()
    for file, value in (("autogroup", str(niceness)), ("oom_score_adj", _EASILY_KILLED)):
        with contextlib.suppress(OSError):  # this system, or this kernel, has no such thing
            Path("/proc/self", file).write_text(value, encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)


def _read_for(service: socket.socket) -> None:
    """Do what the service asks for, until it asks for nothing more."""
    while True:
        head = _received(service, LENGTH.size)
        if head is None:
            return
        packed = _received(service, *LENGTH.unpack(head))
        if packed is None:
            return
        service.sendall(message_of(_done(pickle.loads(packed))))  # noqa: S301 - from the service


def _received(service: socket.socket, length: int) -> bytes | None:
    """So many bytes; None where the service is gone."""
    received = bytearray()
    while len(received) < length:
        piece = service.recv(min(_PIECE, length - len(received)))
        if not piece:
            return None
        received += piece
    return bytes(received)


def _done(job: Job) -> object:
    """What came of a job. A limit is a signal, whose default ends this process also inside of an expression."""
    signal.setitimer(signal.ITIMER_PROF, job.processor_seconds)
    signal.setitimer(signal.ITIMER_REAL, job.seconds)
    try:
        with speaking(job.language):
            return job.function(*job.arguments)
    except Exception as error:  # noqa: BLE001 - the service logs it and answers 500
        return Failed(place_of(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
