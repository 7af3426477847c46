"""Lets the other tasks of an event loop run where work that never has to wait would keep them out."""

from __future__ import annotations

import asyncio
import time

WORK = 0.01
"""Seconds of work after which the others have their turn."""


class CooperativePause:
    """Counts the seconds since the last pause."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    async def pause(self) -> None:
        """Pause if it is time."""
        if time.perf_counter() - self._since > WORK:
            await asyncio.sleep(0)
            self._since = time.perf_counter()
