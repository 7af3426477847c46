"""A bounded pool of threads for what blocks and cannot be awaited: questions to the store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from src.entrypoints.http.room import Room, too_late

T = TypeVar("T")


class ThreadPool:
    """Threads that each answer one question at a time. The loop's thread alone calls it.

    The threads are daemons: a question cannot be interrupted, and a process that is stopped does not wait for it.
    """

    def __init__(self, threads: int, timeout: float) -> None:
        """Start nothing yet.

        Args:
            threads: questions that are asked at once.
            timeout: seconds after which an answer is waited for no longer.
        """
        self._threads, self._timeout = threads, timeout
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._started = 0
        self.room = Room(threads)

    async def run(self, ask: Callable[[], T]) -> T:
        """What `ask` returns, from a thread.

        Raises:
            Problem: there is no room (503), or the time is over (504).
            Exception: what `ask` raises.
        """
        self.room.take(0)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(_Job(future, ask))
        if self._started < min(self.room.taken, self._threads):
            self._started += 1
            threading.Thread(target=self._work, args=(loop,), name="llm-output-questions", daemon=True).start()
        try:
            return await asyncio.wait_for(future, self._timeout)
        except TimeoutError:
            raise too_late(self._timeout) from None

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            job = self._jobs.get()
            value, error = None, None
            if not job.future.cancelled():  # else its time was over before its turn came
                try:
                    value = job.ask()
                except BaseException as raised:  # noqa: BLE001 - it is raised where the answer is waited for
                    error = raised
            try:
                loop.call_soon_threadsafe(self._finish, job, value, error)
            except RuntimeError:  # the loop is closed
                return

    def _finish(self, job: _Job, value: object, error: BaseException | None) -> None:
        self.room.give_back(0)
        if job.future.done():
            return
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Job:
    future: asyncio.Future[Any]
    ask: Callable[[], Any]
