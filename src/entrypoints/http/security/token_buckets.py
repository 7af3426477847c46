"""Token buckets by name, in bounded memory."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_NAMES = 10_000
"""Most clients or keys that are counted at once; then the one that asked longest ago is forgotten."""


class TokenBuckets:
    """A bucket for each name: `burst` tokens at once, and `rate` more a second.

    Ours, because the kept library for it (`limits`) counts windows, and its store in memory has no most of names.

    Attributes:
        burst: the tokens of a full bucket.
    """

    def __init__(
        self, rate: float, burst: float, *, most: int = MOST_NAMES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with full buckets.

        Args:
            rate: tokens a second that come back, above 0.
            burst: the tokens of a full bucket, at least 1.
            most: the most buckets that are kept.
            clock: seconds since any moment.
        """
        self.burst = burst
        self._rate = rate
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """How many buckets are kept."""
        return len(self._buckets)

    def wait(self, name: str) -> float:
        """Seconds until there is a token; 0 where there is one."""
        return max(0.0, (1 - self._tokens(name, self._clock())) / self._rate)

    def take(self, name: str) -> float:
        """Take a token, if there is one.

        Returns:
            0, or the seconds until there is one.
        """
        now = self._clock()
        tokens = self._tokens(name, now)
        taken = tokens >= 1
        self._buckets[name] = (tokens - taken, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - tokens) / self._rate

    def _tokens(self, name: str, now: float) -> float:
        tokens, at = self._buckets.get(name, (self.burst, now))
        return min(self.burst, tokens + (now - at) * self._rate)
