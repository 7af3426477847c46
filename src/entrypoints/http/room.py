"""How much may wait to be read: so many texts, and so many bytes of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Message

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
            detail = Message("同时解析的文本过多，请稍后再试", "too many texts are being read; ask again in a moment")
            raise Problem(503, POOL_FULL, detail, headers={"retry-after": str(RETRY_AFTER)})
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
    detail = Message(f"解析超过 {seconds:g} 秒，已放弃", f"reading the text took more than {seconds:g} seconds")
    return Problem(504, "PARSE_TIMEOUT", detail)
