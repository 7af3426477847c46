"""How many requests go to a provider at once, and how many in a minute."""

from __future__ import annotations

import asyncio
import threading
from asyncio import Lock, Semaphore, sleep
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes a thing when a loop first asks for it, and forgets those of closed loops."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._things: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """The thing of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._things:
            self._things = {other: thing for other, thing in self._things.items() if not other.is_closed()}
            self._things[loop] = self._make()
        return self._things[loop]

    def forget(self) -> list[T]:
        """Forget all of them; the running loop's is returned."""
        things, self._things = self._things, {}
        loop = asyncio.get_running_loop()
        return [things[loop]] if loop in things else []


MINUTE = 60.0


class Limiter:
    """Lets requests through in the order of their arrival.

    Args:
        concurrency: most requests at once, for each event loop; 0 sets no bound.
        requests_per_minute: most requests that begin within any 60 seconds, of all event loops together; 0 sets no
            bound.
    """

    def __init__(self, concurrency: int, requests_per_minute: int = 0) -> None:
        self._places = PerLoop(lambda: Semaphore(concurrency)) if concurrency else None
        self._rate = RequestsPerMinute(requests_per_minute) if requests_per_minute else None

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and hold it; a wait that is cancelled leaves nothing behind."""
        async with self._places.get() if self._places else nullcontext():
            if self._rate is not None:
                await self._rate.acquire()
            yield


class RequestsPerMinute:
    """Lets so many requests begin within any 60 seconds."""

    def __init__(self, most: int) -> None:
        self._begun: deque[float] = deque(maxlen=most)
        self._counting = threading.Lock()
        self._turns = PerLoop(Lock)

    async def acquire(self) -> None:
        """Wait until one more may begin."""
        async with self._turns.get():
            while seconds := self._seconds_to_wait():  # noqa: ASYNC110 - for the time to pass
                await sleep(seconds)

    def _seconds_to_wait(self) -> float:
        """How long; where that is no time, one more has begun."""
        with self._counting:
            now = monotonic()
            if len(self._begun) == self._begun.maxlen and now - self._begun[0] < MINUTE:
                return MINUTE - (now - self._begun[0])
            self._begun.append(now)
            return 0.0
