"""How much of its time the event loop gives to texts that it reads by itself."""

from __future__ import annotations

import time
from collections.abc import Callable

FREE_WORK = 200_000
"""Units of work that every short text may take on the loop: 2 ms."""
SAVED_WORK = 3_000_000
"""Units that the loop can have saved up for texts that take more: 30 ms, so long at most is it stopped by one text."""
SAVED_PER_SECOND = 20_000_000
"""Units that it saves each second: a fifth of its time."""


class LoopTime:
    """What the loop has left for texts that take more work than `FREE_WORK`. The loop's thread alone calls it.

    A text in a thread costs all others more than on the loop, since the two change places again and again; but many
    such texts at once would stop the loop. So the loop reads a few of them, and leaves the rest to the pool.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Begin with all that can be saved.

        Args:
            clock: seconds since any moment.
        """
        self._clock, self._at, self._saved = clock, clock(), float(SAVED_WORK)

    def most_work(self, *, is_crowded: bool) -> int:
        """Units of work that the next text may take.

        Args:
            is_crowded: every thread reads a text. What is saved up would then stop the loop for several times as long.
        """
        now = self._clock()
        self._saved = min(SAVED_WORK, self._saved + (now - self._at) * SAVED_PER_SECOND)
        self._at = now
        return FREE_WORK + int(max(0.0, self._saved)) * (not is_crowded)

    def spend(self, units: int) -> None:
        """Charge for a text that took so much work."""
        self._saved -= max(0, units - FREE_WORK)
