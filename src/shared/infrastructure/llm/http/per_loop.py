"""One thing for each event loop: locks and connections of one loop are of no use in another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
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
