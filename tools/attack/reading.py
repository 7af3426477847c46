"""How long other tasks of an event loop wait while a large answer is read aside, measured.

`python -m tools.attack.reading` reads texts just below the bound (in the loop itself) and larger ones (in a thread). A
thread lets other tasks run between two steps of Python, but not during one call of a regular expression or of Pydantic.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import BaseModel

from src.shared.application.reading import LARGE, read_aside
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.agents.agent_output import plain_output
from tools.attack.delays import delays
from tools.attack.quiet import quiet
from tools.attack.tables import table

SIZES = (LARGE - 1, 4_000, 50_000, 500_000, 5_000_000)
_TICK = 0.001


class Rows(BaseModel):
    """What is asked for."""

    rows: list[Any]


class Family(NamedTuple):
    """A text's start, what is repeated, and its end."""

    start: str
    repeated: str
    end: str

    def text(self, size: int) -> str:
        """A text of so many characters."""
        room = size - len(self.start) - len(self.end)
        text = self.start + self.repeated * (room // len(self.repeated)) + self.end
        return " " * (size - len(text)) + text


FAMILIES = {
    "clean, long text": Family('{"rows": ["', "word, ", '"]}'),
    "clean, objects": Family('{"rows": [', '{"a": [1, 2, "x"]},', "1]}"),
    "clean, empty lists": Family('{"rows": [', "[],", "1]}"),
    "semicolons": Family('{"rows": [', '"abcdefgh";', '"z"]}'),
    "doubled commas": Family('{"rows": [', '"abcdefgh",,', '"z"]}'),
    "single quotes": Family("{'rows': [", "'abcdefgh',", "'z']}"),
    "quotes without commas": Family('{"rows": [', '"x"', "]}"),
    "no quotes": Family('{"rows": [', "a b c, ", "]}"),
    "comments": Family('{"rows": [', "1, // one\n", "1]}"),
    "open fences": Family("", "```json\n{", ""),
    "open brackets": Family("", "{", ""),
}


class Measured(NamedTuple):
    """One reading: seconds, and the longest wait of another task."""

    seconds: float
    delay: float


def read(text: str) -> None:
    """Read a text, or refuse it."""
    try:
        plain_output(Rows).read(text, finished=True)
    except AppException:
        return


async def measure(text: str, reading: Callable[[str], None] = read) -> Measured:
    """Read a text as a call does, beside a task that wants to run every millisecond."""
    gc.collect()
    async with delays(_TICK) as delay:
        started = time.perf_counter()
        await read_aside(text, lambda: reading(text))
        seconds = time.perf_counter() - started
    return Measured(seconds, delay.seconds)


def main() -> None:
    """Measure every family at every size, and print."""
    read(FAMILIES["semicolons"].text(LARGE))  # imports what only damaged text needs
    rows = []
    for name, family in FAMILIES.items():
        measured = [asyncio.run(measure(family.text(size))) for size in SIZES]
        rows.append((name, *(f"{each.seconds:.2f} s, {each.delay * 1000:.0f} ms" for each in measured)))
    print(table(("text", *(f"{size:,}" for size in SIZES)), rows))


if __name__ == "__main__":
    quiet()
    main()
