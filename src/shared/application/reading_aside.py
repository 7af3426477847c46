"""Reading a large text without keeping the event loop from its other calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LARGE = 512
"""Characters from which a text is read in a thread: that costs 0.1 ms, and reading a damaged one may take 0.5 s."""
CLEAN = 16_384
"""Characters below which JSON is read at once all the same: it takes less than a millisecond."""


async def read_aside(text: str, read: Callable[[], T]) -> T:
    """What `read` makes of a text; of a large one in a thread, so that validators of a type may run there.

    Who stops waiting (because a budget's time is up, or a call is cancelled) goes on at once. The thread ends by the
    parser's own bounds, and nobody takes its result.
    """
    is_quick = len(text) < LARGE or (len(text) < CLEAN and is_json(text))
    return read() if is_quick else await asyncio.to_thread(read)


def is_json(text: str) -> bool:
    """Whether a text is JSON as it stands, which is read in microseconds; a damaged one may take half a second."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
