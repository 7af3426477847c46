"""An event loop for libraries that make one in a synchronous call and leave it open."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def closed_loop() -> Iterator[None]:
    """The loop of this thread meanwhile; closed afterwards."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()
