"""How long an attack goes on, and the source of chance for each of its texts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Budget:
    """Where an attack ends: after `count` texts or `seconds`, whichever comes first; None sets no bound."""

    count: int | None = None
    seconds: float | None = None

    def turns(self, seed: int) -> Iterator[tuple[int, Random]]:
        """Number the texts from 0, each with a source of chance of its own: text n of a seed is always the same."""
        end = None if self.seconds is None else time.monotonic() + self.seconds
        number = 0
        while (self.count is None or number < self.count) and (end is None or time.monotonic() < end):
            yield number, Random(f"{seed}/{number}")
            number += 1
