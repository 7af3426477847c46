"""What workers do in the tests: they double numbers, and some numbers are bad for them."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from src.shared.domain.exceptions import AppException


class Doubling:
    """Doubles numbers. `deadly` numbers kill the process, `slow` ones take for ever.

    With `once`, a file, a deadly number kills only the process that makes the file.
    """

    def __init__(self, deadly: tuple[int, ...] = (), slow: tuple[int, ...] = (), once: str = "") -> None:
        self._deadly, self._slow, self._once = deadly, slow, Path(once) if once else None
        self._done: list[int] = []

    def handle(self, item: int) -> None:
        """Double it, or not."""
        print("this goes nowhere")  # noqa: T201 - stdout is not ours
        if item in self._deadly and self._may_kill():
            os.kill(os.getpid(), signal.SIGKILL)
        if item in self._slow:
            time.sleep(3600)
        self._done.append(item * 2)

    def take(self) -> list[int]:
        """The doubled ones."""
        done, self._done = self._done, []
        return done

    def _may_kill(self) -> bool:
        if not self._once:
            return True
        if self._once.exists():
            return False
        self._once.touch()
        return True


class Greedy(Doubling):
    """Takes more memory than a worker has, for number 3, and says so."""

    def handle(self, item: int) -> None:
        """Double it, or -1 where there is no memory."""
        try:
            wasted = bytearray(600_000_000 if item == 3 else 1)
            super().handle(item)
            del wasted
        except MemoryError:
            self._done.append(-1)


class Leaving(Doubling):
    """Ends its process by itself at number 3."""

    def handle(self, item: int) -> None:
        """Double it, or leave."""
        if item == 3:
            os._exit(7)
        super().handle(item)


def none() -> Doubling:
    """Cannot be made."""
    message = "no such type"
    raise LookupError(message)


def gone() -> Doubling:
    """Kills the process before it is ready."""
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
    return Doubling()


class Ordering:
    """Tells the order of a set of letters."""

    def __init__(self) -> None:
        self._order: list[str] = []

    def handle(self, item: str) -> None:
        """Make a set of them."""
        self._order = [*set(item)]

    def take(self) -> list[str]:
        """Its order."""
        return self._order


def unusable() -> Doubling:
    """Says what is wrong."""
    message = "it is async"
    raise AppException(message)


class Calling:
    """Does what it is asked for by name; any other item comes back."""

    def handle(self, item: str) -> None:
        """Do it."""
        calls = {"getpid": os.getpid, "variables": lambda: [*os.environ], "be_killed": _be_killed, "spin": _spin}
        self._answer = calls[item]() if item in calls else item

    def take(self) -> object:
        """What came of it."""
        return self._answer


def _be_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _spin() -> None:
    while True:
        pass
