"""The program of a worker: it takes items from its standard input and sends what came of them to its standard output.

The two streams belong to the worker's owner. What the code that it runs prints goes nowhere; stderr stays as it is.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, cast

from src.shared.domain.exceptions import AppException


@dataclass(frozen=True)
class Task:
    """A handler of items by the name of the function that makes it.

    `handle(item)` handles the next item, and `take()` gives what came of the items since the last time.

    Attributes:
        function: `package.module:function`.
        arguments: what it is called with; anything that can be pickled.
        folder: where modules of the user's are imported from besides; the current directory of whoever asks.
    """

    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    folder: str = ""

    def handler(self) -> Any:  # noqa: ANN401 - as the function makes it
        """Make the handler.

        Raises:
            Exception: whatever the import or the function raises.
        """
        if self.folder and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        return function_named(self.function)(**self.arguments)


@dataclass(frozen=True)
class Limits:
    """What one item may take.

    Attributes:
        seconds: time for one item.
        megabytes: memory for the items beside what the worker takes before the first; 0 is no limit.
    """

    seconds: float = 60.0
    megabytes: int = 2048


def function_named(name: str) -> Callable[..., Any]:
    """Import a function by `package.module:function`."""
    module, _, function = name.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), function))


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
