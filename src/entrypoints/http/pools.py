"""Where texts are read: a bounded room to wait in, a pool of threads, and one of processes for what may take long.

A text is first read by one of a few readers that are kept, and has 50 ms of processor time. One that needs more is read
anew by a reader of its own, which is ended with it; there are as many places for such texts, apart from the others, and
they step back behind them. So any number of texts that take long, or without end, keeps short ones waiting for 50 ms.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

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


def too_late(seconds: float) -> Problem:
    """What a request is answered whose time is over."""
    detail = Phrase("reading the text took more than {seconds:g} seconds", seconds=seconds)
    return Problem(504, "PARSE_TIMEOUT", detail)


T = TypeVar("T")


class ThreadPool:
    """Threads that each answer one question. The loop's thread alone calls it.

    They are daemons: a question cannot be interrupted, and a process that is stopped does not wait for it.
    """

    def __init__(self, threads: int, timeout: float) -> None:
        """Start nothing yet.

        Args:
            threads: questions that are asked at once.
            timeout: seconds after which an answer is waited for no longer.
        """
        self.room = Room(threads)
        self._free, self._timeout = asyncio.Semaphore(threads), timeout

    async def run(self, ask: Callable[[], T]) -> T:
        """What `ask` returns, from a thread; its place is taken until it does, though nobody waits any longer.

        Raises:
            Problem: there is no room (503), or the time is over (504).
            Exception: what `ask` raises.
        """
        self.room.take(0)
        loop, is_asked = asyncio.get_running_loop(), False
        future: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                settle = partial(future.set_result, ask())
            except BaseException as raised:  # noqa: BLE001 - it is raised where the answer is waited for
                settle = partial(future.set_exception, raised)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(finish, settle)

        def finish(settle: Callable[[], object]) -> None:
            self._free.release()
            self.room.give_back(0)
            if not future.done():
                settle()

        try:
            async with asyncio.timeout(self._timeout):
                await self._free.acquire()
                is_asked = True
                threading.Thread(target=work, name="llm-output-questions", daemon=True).start()
                return await future
        except TimeoutError:
            raise too_late(self._timeout) from None
        finally:
            if not is_asked:
                self.room.give_back(0)


KEPT_SECONDS = 3.0
"""How long an answer of the store is given to others who ask the same, at least."""
KEPT_TIMES = 10
"""And so many times as long as it took: however many ask, counting takes a tenth of a processor."""
MOST_KEPT = 64
"""Answers that are kept for others."""


class StoreAnswers:
    """Asks the store; who asks the same at about the same time is given the same. The loop's thread alone calls it."""

    def __init__(self, questions: ThreadPool, clock: Callable[[], float] = time.monotonic) -> None:
        """Ask nothing yet.

        Args:
            questions: threads that ask.
            clock: seconds since any moment.
        """
        self._questions, self._clock = questions, clock
        self._kept: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()
        self._until: dict[Hashable, float] = {}

    async def ask(self, key: Hashable, question: Callable[[], T]) -> T:
        """What a question returns or raises, or what it did a moment ago.

        Raises:
            Problem: as `ThreadPool.run` raises it.
        """
        kept = self._kept.get(key)
        if kept is None or self._clock() >= self._until.get(key, math.inf):
            self._until.pop(key, None)
            kept = self._kept[key] = asyncio.create_task(self._run(key, question))
            if len(self._kept) > MOST_KEPT:
                self._until.pop(self._kept.popitem(last=False)[0], None)
        self._kept.move_to_end(key)
        if not kept.done():
            await asyncio.wait({kept})  # which a client that leaves does not cancel
        answer: T = kept.result()
        return answer

    async def _run(self, key: Hashable, question: Callable[[], T]) -> T:
        began = self._clock()
        try:
            return await self._questions.run(question)
        finally:
            now = self._clock()
            self._until[key] = now + max(KEPT_SECONDS, (now - began) * KEPT_TIMES)


FIRST_SECONDS = 0.05
"""Seconds of processor time that a text has at first."""
FIRST_NICENESS, LONG_NICENESS = 5, 10
"""How far readers step back behind the service, whose loop has everybody's requests; 19 is the most."""
ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV")
"""The variables that readers get, besides those of Python itself: none of them is a secret."""


Job: TypeAlias = tuple[Callable[[], Any], Language]
"""Something to do in a reader: a function of a module with its arguments, and the language of messages."""


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
        function, spoken = job
        try:
            with speaking(spoken):
                self._result = function()
        except Exception as error:  # noqa: BLE001 - the service logs it and answers 500
            self._result = ReadingFailedError(place_of(error))

    def take(self) -> object:
        """What it returned, or its failure."""
        return self._result


def reader_environment() -> dict[str, str]:
    """The variables of a reader."""
    return {name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith("PYTHON")}


READERS = ForkServer(f"{__name__}:{JobHandler.__name__}", reader_environment)
"""Of each process of the service, if any is needed."""


class ProcessPool:
    """Reads in processes. The loop's thread alone calls it. The processes start with `warm_up`, or with the first text.

    Attributes:
        room: what waits and what is read.
    """

    def __init__(
        self, places: int, timeout: float, readers: ForkServer = READERS, first_seconds: float = FIRST_SECONDS
    ) -> None:
        """Start nothing yet.

        Args:
            places: texts that are read at once, and as many again that take long.
            timeout: seconds after which a text is given up.
            readers: what the processes are copied from; it has loaded what the functions need.
            first_seconds: seconds of processor time that a text has at first, with what it has to load.
        """
        self._places, self._timeout, self._readers, self._first_seconds = places, timeout, readers, first_seconds
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
        job: Job = (partial(function, *arguments), language())
        request = Request((job,), processor_seconds=self._first_seconds)
        self.room.take(size)
        try:
            async with asyncio.timeout(self._timeout):
                try:
                    async with self._first:
                        answer: T | ReadingFailedError = await self._ask_kept(pack(request))
                except WorkerDiedError:
                    async with self._long:
                        answer = await self._ask_another(pack(request._replace(processor_seconds=0.0)))
        except TimeoutError:
            raise too_late(self._timeout) from None
        except WorkerDiedError:
            detail = Phrase("the process that read this text was ended, as where it needs too much memory")
            raise Problem(500, "READER_DIED", detail) from None
        finally:
            self.room.give_back(size)
        if isinstance(answer, ReadingFailedError):
            raise answer
        return answer

    async def warm_up(self) -> None:
        """Start the processes, and wait until each of them can read; one that does not is started again by a text."""
        await asyncio.gather(*(self.run(os.getpid) for _ in range(self._places)), return_exceptions=True)

    def close(self) -> None:
        """End every process."""
        for reader in (*self._idle, *self._busy):
            reader.end()
        self._idle.clear()

    async def _ask_kept(self, request: bytes) -> Any:  # noqa: ANN401 - as the job makes it
        """Ask a reader that is kept; should it end, another one takes its place."""
        if not self._idle:
            self._idle += [self._readers.worker(FIRST_NICENESS) for _ in range(self._places)]
        reader = self._idle.pop()
        try:
            answer = await self._ask(reader, request)
        except BaseException:
            reader.end()
            self._idle.insert(0, self._readers.worker(FIRST_NICENESS))  # it is asked last, since it is not there yet
            raise
        self._idle.append(reader)
        return answer

    async def _ask_another(self, request: bytes) -> Any:  # noqa: ANN401 - as above
        reader = self._readers.worker(LONG_NICENESS)
        try:
            return await self._ask(reader, request)
        finally:
            reader.end()

    async def _ask(self, reader: ForkedWorker, request: bytes) -> Any:  # noqa: ANN401 - as above
        self._busy.add(reader)
        try:
            return await reader.ask(request)
        finally:
            self._busy.discard(reader)
