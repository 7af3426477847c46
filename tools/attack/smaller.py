"""Makes a family that shows a problem smaller, for as long as it still shows one of the same kind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace

from tools.attack.families import Family

SECONDS = 30.0
"""Time to go on for."""


def smaller(family: Family, shows: Callable[[Family], bool], most: float = SECONDS) -> Family:
    """Leave out signs of each part, as long as what is left shows the problem."""
    end = time.monotonic() + most
    length = max(map(len, astuple(family)))
    while length and time.monotonic() < end:
        shorter = next((one for one in _shorter(family, length) if time.monotonic() < end and shows(one)), None)
        length = length // 2 if shorter is None else length
        family = shorter or family
    return family


def _shorter(family: Family, length: int) -> Iterator[Family]:
    """Families without so many signs of one part."""
    for name in ("prefix", "suffix", "middle", "second", "body"):
        for part in _without(getattr(family, name), length):
            if part or name != "body":
                yield replace(family, **{name: part})


def _without(part: str, length: int) -> Iterator[str]:
    """A part without a piece of this length, at each place."""
    for start in range(0, len(part), length):
        yield part[:start] + part[start + length :]
