"""The program of a worker: it takes items from its standard input and sends what came of them to its standard output.

The two streams belong to the worker's owner. What the code that it runs prints goes nowhere; stderr stays as it is.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
from typing import BinaryIO, NamedTuple

from src.modules.reparsing.infrastructure.workers.task import Limits, Task
from src.shared.domain.exceptions import AppException

SEND_EVERY = 0.1
"""Seconds after which what came of the items so far is sent: a worker that dies has so much to do again."""
_LOOK_EVERY = 1.0
_MESSAGE_LIMIT = 2_000


class Start(NamedTuple):
    """The first message to a worker."""

    task: Task
    limits: Limits


class Items(NamedTuple):
    """Items to handle; with `one_by_one`, what came of each is sent before the next begins."""

    items: tuple[object, ...]
    one_by_one: bool = False


class Started(NamedTuple):
    """The worker can handle items; or it cannot, and says why."""

    failed: str = ""


class Piece(NamedTuple):
    """What came of the next items, and how many they were; the last piece says so."""

    result: object
    items: int
    is_last: bool = False


def main() -> None:  # pragma: no cover - in a process of its own
    """Run as a process of its own."""
    requests, answers = _own_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the owner, which ends its workers
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):  # the owner is gone
        serve(requests, answers)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Handle items until there are no more requests."""
    start: Start = pickle.load(requests)  # noqa: S301 - from the owner
    try:
        handler = start.task.handler()
    except AppException as error:
        _send(answers, Started(error.message[:_MESSAGE_LIMIT]))
        return
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's modules are imported here
        _send(answers, Started(f"{type(error).__name__}: {error}"[:_MESSAGE_LIMIT]))
        return
    _limit_memory(start.limits.megabytes)
    _send(answers, Started())
    while True:
        try:
            request: Items = pickle.load(requests)  # noqa: S301 - from the owner
        except EOFError:
            return
        every = 0.0 if request.one_by_one else SEND_EVERY
        count, sent = 0, time.monotonic()
        for item in request.items:
            handler.handle(item)
            count += 1
            if time.monotonic() - sent >= every:
                _send(answers, Piece(handler.take(), count))
                count, sent = 0, time.monotonic()
        _send(answers, Piece(handler.take(), count, is_last=True))


def _send(answers: BinaryIO, message: object) -> None:
    pickle.dump(message, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _own_streams() -> tuple[BinaryIO, BinaryIO]:  # pragma: no cover - in a process of its own
    """The streams to the owner, out of reach of what is run here."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return requests, answers


def _limit_memory(megabytes: int) -> None:  # pragma: no cover - in a process of its own
    """Let an item that needs more end in a MemoryError here, before the machine has none left for anybody."""
    try:
        import resource  # noqa: PLC0415 - not on Windows

        with open("/proc/self/statm", encoding="ascii") as status:  # noqa: PTH123 - three times as fast to import
            used = int(status.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    if megabytes:
        limit = used + megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _end_with(owner: int) -> None:  # pragma: no cover - in a process of its own
    """End when the owner is gone, also in the middle of an item."""
    while os.getppid() == owner:
        time.sleep(_LOOK_EVERY)
    os._exit(1)


if __name__ == "__main__":  # pragma: no cover - a process of its own
    main()
