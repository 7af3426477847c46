"""A bounded pool of threads that read texts, so that a large one does not stop the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Message

T = TypeVar("T")

MOST_WAITING = 256
"""Texts that may wait for a thread; further ones are answered 503."""
MOST_CHARACTERS = 16_777_216
"""Characters of the texts that wait or are read, together."""
POOL_FULL = "POOL_FULL"
RETRY_AFTER = 1
"""Seconds after which a client may ask again when the pool is full."""


class ParserPool:
    """Threads that each read one text at a time. The loop's thread alone calls it.

    The threads are daemons: the parser cannot be interrupted, and a process that is stopped does not wait for it.

    Attributes:
        rejected: texts that found no room.
    """

    def __init__(self, threads: int, timeout: float) -> None:
        """Start nothing yet.

        Args:
            threads: texts that are read at once.
            timeout: seconds after which a text is waited for no longer.
        """
        self._threads, self._timeout = threads, timeout
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._started = self._taken = self._characters = 0
        self.rejected = 0

    @property
    def in_use(self) -> int:
        """Threads that read a text now; also one that nobody waits for any longer."""
        return min(self._taken, self._threads)

    @property
    def is_crowded(self) -> bool:
        """Whether every thread reads a text."""
        return self._taken >= self._threads

    @property
    def waiting(self) -> int:
        """Texts that wait for a thread."""
        return max(0, self._taken - self._threads)

    def has_room(self, characters: int = 0) -> bool:
        """Whether a text of this length may wait; an empty pool takes every text."""
        fits = self._characters + characters <= MOST_CHARACTERS or not self._taken
        return self.waiting < MOST_WAITING and fits

    async def run(self, read: Callable[[], T], characters: int = 0) -> T:
        """What `read` returns, from a thread.

        Args:
            read: may take long.
            characters: of the text that it reads.

        Raises:
            Problem: the pool is full (503), or the time is over (504).
            Exception: what `read` raises.
        """
        if not self.has_room(characters):
            self.rejected += 1
            raise _full()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._taken += 1
        self._characters += characters
        self._jobs.put(_Job(future, read, characters))
        if self._started < min(self._taken, self._threads):
            self._started += 1
            threading.Thread(target=self._work, args=(loop,), name="llm-output-parser", daemon=True).start()
        try:
            return await asyncio.wait_for(future, self._timeout)
        except TimeoutError:
            raise _late(self._timeout) from None

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            job = self._jobs.get()
            value, error = None, None
            if not job.future.cancelled():  # else its time was over before its turn came
                try:
                    value = job.read()
                except BaseException as raised:  # noqa: BLE001 - it is raised where the text is waited for
                    error = raised
            try:
                loop.call_soon_threadsafe(self._finish, job, value, error)
            except RuntimeError:  # the loop is closed
                return

    def _finish(self, job: _Job, value: object, error: BaseException | None) -> None:
        self._taken -= 1
        self._characters -= job.characters
        if job.future.done():
            return
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Job:
    future: asyncio.Future[Any]
    read: Callable[[], Any]
    characters: int


def _full() -> Problem:
    detail = Message("同时解析的文本过多，请稍后再试", "too many texts are being read; ask again in a moment")
    return Problem(503, POOL_FULL, detail, headers={"retry-after": str(RETRY_AFTER)})


def _late(seconds: float) -> Problem:
    detail = Message(f"解析超过 {seconds:g} 秒，已放弃", f"reading the text took more than {seconds:g} seconds")
    return Problem(504, "PARSE_TIMEOUT", detail)
