"""The processes that read texts, as the loop sees them: a text that takes too long is ended, and its place is free.

A text is first read by one of a few readers that are kept, and has 50 ms of processor time. One that needs more is read
anew by a reader of its own, which is ended with it; there are as many places for such texts, apart from the others, and
they step back behind them. So any number of texts that take long, or without end, keeps short ones waiting for 50 ms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.readers import NURSERY, Reader, ReaderDiedError
from src.entrypoints.http.reading_process import Job, message_of
from src.entrypoints.http.room import Room, too_late
from src.shared.domain.language import Message, language

T = TypeVar("T")

FIRST_SECONDS = 0.05
"""Seconds of processor time that a text has at first."""
FIRST_NICENESS, LONG_NICENESS = 5, 10
"""How far readers step back behind the service, whose loop has everybody's requests; 19 is the most."""
_SPARE = 1.0
"""Seconds after the end of its time in which a reader ends by itself, should nobody have ended it."""


class ProcessPool:
    """Reads in processes. The loop's thread alone calls it; the first process starts with the first text.

    Attributes:
        room: what waits and what is read.
    """

    def __init__(self, places: int, timeout: float) -> None:
        """Start nothing yet.

        Args:
            places: texts that are read at once, and as many again that take long.
            timeout: seconds after which a text is given up.
        """
        self._places, self._timeout = places, timeout
        self._first, self._long = asyncio.Semaphore(places), asyncio.Semaphore(places)
        self._idle: list[Reader] = []
        self._busy: set[Reader] = set()
        self.room = Room(places)

    async def run(self, function: Callable[..., T], *arguments: object, size: int = 0) -> T:
        """What a function returns, from a process.

        Args:
            function: of a module; it and its arguments are sent to the process. It may be called twice.
            arguments: of it.
            size: bytes of them.

        Raises:
            Problem: there is no room (503), its time is over (504), or each process died that tried it (500).
            ReadingFailedError: the function raised an exception.
        """
        with self.room.holding(size):
            try:
                async with asyncio.timeout(self._timeout):
                    return await self._run(function, arguments)
            except TimeoutError:
                raise too_late(self._timeout) from None
            except ReaderDiedError:
                raise _died() from None

    def close(self) -> None:
        """End every process."""
        for reader in (*self._idle, *self._busy):
            reader.end()
        self._idle.clear()

    async def _run(self, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
        job = Job(function, arguments, language(), FIRST_SECONDS, self._timeout + _SPARE)
        try:
            async with self._first:
                return await self._ask_first(message_of(job))
        except ReaderDiedError:
            async with self._long:
                return await self._ask_another(message_of(job._replace(processor_seconds=0.0)))

    async def _ask_first(self, message: bytes) -> T:
        """Ask a reader that is kept, or the one that takes its place should it end."""
        if not self._idle:
            self._idle += [NURSERY.reader(FIRST_NICENESS) for _ in range(self._places)]
        reader = self._idle.pop()
        try:
            answer: T = await self._asked(reader, message)
        except BaseException:
            reader.end()
            self._idle.insert(0, NURSERY.reader(FIRST_NICENESS))  # it is asked last, since it is not there yet
            raise
        self._idle.append(reader)
        return answer

    async def _ask_another(self, message: bytes) -> T:
        reader = NURSERY.reader(LONG_NICENESS)
        try:
            return await self._asked(reader, message)
        finally:
            reader.end()

    async def _asked(self, reader: Reader, message: bytes) -> T:
        self._busy.add(reader)
        try:
            answer: T = await reader.ask(message)
        finally:
            self._busy.discard(reader)
        return answer


def _died() -> Problem:
    zh, en = "读取这段文本的进程被终止", "the process that read this text was ended, as where it needs too much memory"
    return Problem(500, "READER_DIED", Message(zh, en))
