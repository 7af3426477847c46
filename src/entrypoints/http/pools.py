"""Where texts are read: a bounded room to wait in, a pool of threads, and one of processes for what may take long.

The processes that read texts, as the loop sees them: a text that takes too long is ended, and its place is free.

A text is first read by one of a few readers that are kept, and has 50 ms of processor time. One that needs more is read
anew by a reader of its own, which is ended with it; there are as many places for such texts, apart from the others, and
they step back behind them. So any number of texts that take long, or without end, keeps short ones waiting for 50 ms.
"""

from __future__ import annotations

import asyncio
import os
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from src.entrypoints.http.log import log_nothing
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import warm_up
from src.shared.domain.language import Language, Phrase, language, speaking
from src.shared.infrastructure.processes import ForkedWorker, ForkServer, Request, WorkerDiedError, pack

MOST_WAITING = 256
"""Texts that may wait; further ones are answered 503."""
MOST_BYTES = 16_777_216
"""Bytes of the requests that wait or are read, together."""
POOL_FULL = "POOL_FULL"
RETRY_AFTER = 1
"""Seconds after which a client may ask again when there is no room."""


class Room:
    """What is taken of it. The loop's thread alone calls it.

    Attributes:
        taken: requests that wait or are read.
        rejected: those that found no room.
    """

    def __init__(self, places: int) -> None:
        """Begin with nothing.

        Args:
            places: requests that are read at once; only further ones wait.
        """
        self._places, self._bytes = places, 0
        self.taken = self.rejected = 0

    @property
    def in_use(self) -> int:
        """Requests that are read."""
        return min(self.taken, self._places)

    @property
    def waiting(self) -> int:
        """Requests that wait to be read."""
        return max(0, self.taken - self._places)

    def has(self, size: int) -> bool:
        """Whether a request of so many bytes may wait; where nothing is read, each may."""
        return self.waiting < MOST_WAITING and (self._bytes + size <= MOST_BYTES or not self.taken)

    def take(self, size: int) -> None:
        """Take it; `give_back` gives it back.

        Raises:
            Problem: there is none (503).
        """
        if not self.has(size):
            self.rejected += 1
            detail = Phrase("too many texts are being read; ask again in a moment")
            raise Problem(503, POOL_FULL, detail, headers=(("retry-after", str(RETRY_AFTER)),))
        self.taken += 1
        self._bytes += size

    def give_back(self, size: int) -> None:
        """What `take` took is free."""
        self.taken -= 1
        self._bytes -= size

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """Take it for a block.

        Raises:
            Problem: there is none (503).
        """
        self.take(size)
        try:
            yield
        finally:
            self.give_back(size)


def too_late(seconds: float) -> Problem:
    """What a request is answered whose time is over."""
    detail = Phrase("reading the text took more than {seconds:g} seconds", seconds=seconds)
    return Problem(504, "PARSE_TIMEOUT", detail)


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
        self._jobs: SimpleQueue[tuple[asyncio.Future[Any], Callable[[], Any]]] = SimpleQueue()
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
        self._jobs.put((future, ask))
        if self._started < min(self.room.taken, self._threads):
            self._started += 1
            threading.Thread(target=self._work, args=(loop,), name="llm-output-questions", daemon=True).start()
        try:
            return await asyncio.wait_for(future, self._timeout)
        except TimeoutError:
            raise too_late(self._timeout) from None

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            future, ask = self._jobs.get()
            settle: Callable[[], object] = future.cancel
            if not future.cancelled():  # else its time was over before its turn came
                try:
                    settle = partial(future.set_result, ask())
                except BaseException as raised:  # noqa: BLE001 - it is raised where the answer is waited for
                    settle = partial(future.set_exception, raised)
            try:
                loop.call_soon_threadsafe(self._finish, future, settle)
            except RuntimeError:  # the loop is closed
                return

    def _finish(self, future: asyncio.Future[Any], settle: Callable[[], object]) -> None:
        self.room.give_back(0)
        if not future.done():
            settle()


FIRST_SECONDS = 0.05
"""Seconds of processor time that a text has at first."""
FIRST_NICENESS, LONG_NICENESS = 5, 10
"""How far readers step back behind the service, whose loop has everybody's requests; 19 is the most."""
ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV")
"""The variables that readers get, besides those of Python itself: none of them is a secret."""


class Job(NamedTuple):
    """Something to do in a reader: a function of a module, its arguments, and the language of messages."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    language: Language


class ReadingFailedError(Exception):
    """An error of ours in a reader.

    Attributes:
        place: its type and its line of code.
    """

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


def place_of(error: BaseException) -> str:
    """The type of an error and the line of code, for the log; a message may hold a piece of a text."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} in {last.name}, line {last.lineno}" if last else type(error).__name__


class JobHandler:
    """Does jobs in a reader, which has everything loaded and logs nothing."""

    def __init__(self) -> None:
        """Load what reading needs."""
        log_nothing()
        warm_up()

    def handle(self, job: Job) -> None:
        """Do a job."""
        try:
            with speaking(job.language):
                self._result = job.function(*job.arguments)
        except Exception as error:  # noqa: BLE001 - the service logs it and answers 500
            self._result = ReadingFailedError(place_of(error))

    def take(self) -> object:
        """What it returned, or its failure."""
        return self._result


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith("PYTHON")}


READERS = ForkServer(f"{__name__}:{JobHandler.__name__}", _environment)
"""Of each process of the service, if any is needed."""


class ProcessPool:
    """Reads in processes. The loop's thread alone calls it. The processes start with `warm_up`, or with the first text.

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
        self._idle: list[ForkedWorker] = []
        self._busy: set[ForkedWorker] = set()
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
            except WorkerDiedError:
                raise Problem(
                    500,
                    "READER_DIED",
                    Phrase("the process that read this text was ended, as where it needs too much memory"),
                ) from None

    async def warm_up(self) -> None:
        """Start the processes, and wait until each of them can read; one that does not is started again by a text."""
        await asyncio.gather(*(self.run(os.getpid) for _ in range(self._places)), return_exceptions=True)

    def close(self) -> None:
        """End every process."""
        for reader in (*self._idle, *self._busy):
            reader.end()
        self._idle.clear()

    async def _run(self, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
        request = Request((Job(function, arguments, language()),), processor_seconds=FIRST_SECONDS)
        try:
            async with self._first:
                return await self._ask_first(pack(request))
        except WorkerDiedError:
            async with self._long:
                return await self._ask_another(pack(request._replace(processor_seconds=0.0)))

    async def _ask_first(self, request: bytes) -> T:
        """Ask a reader that is kept, or the one that takes its place should it end."""
        if not self._idle:
            self._idle += [READERS.worker(FIRST_NICENESS) for _ in range(self._places)]
        reader = self._idle.pop()
        try:
            answer: T = await self._asked(reader, request)
        except BaseException:
            reader.end()
            self._idle.insert(0, READERS.worker(FIRST_NICENESS))  # it is asked last, since it is not there yet
            raise
        self._idle.append(reader)
        return answer

    async def _ask_another(self, request: bytes) -> T:
        reader = READERS.worker(LONG_NICENESS)
        try:
            return await self._asked(reader, request)
        finally:
            reader.end()

    async def _asked(self, reader: ForkedWorker, request: bytes) -> T:
        self._busy.add(reader)
        try:
            answer: T | ReadingFailedError = await reader.ask(request)
        finally:
            self._busy.discard(reader)
        if isinstance(answer, ReadingFailedError):
            raise answer
        return answer
