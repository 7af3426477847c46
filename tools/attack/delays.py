"""How long other tasks of an event loop wait while something is done, measured by one that only sleeps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Delay:
    """The longest wait.

    Attributes:
        seconds: beyond what was asked for; complete when the block has ended.
    """

    seconds: float = 0.0


@asynccontextmanager
async def delays(tick: float) -> AsyncIterator[Delay]:
    """Measure within the block; the other task sleeps `tick` seconds at a time."""
    longest = Delay()
    ticking = asyncio.create_task(_tick(tick, longest))
    await asyncio.sleep(0)
    try:
        yield longest
        await asyncio.sleep(tick)
    finally:
        ticking.cancel()


async def _tick(tick: float, longest: Delay) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(tick)
        now = time.perf_counter()
        longest.seconds, last = max(longest.seconds, now - last - tick), now
