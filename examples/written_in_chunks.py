"""A recorded answer as a provider streams it: in chunks, with a pause after each."""

import asyncio
from collections.abc import AsyncIterator


async def written_in_chunks(text: str, size: int = 6, pause: float = 0.04) -> AsyncIterator[str]:
    """Give a text in chunks of so many characters, and wait so many seconds after each."""
    for at in range(0, len(text), size):
        yield text[at : at + size]
        await asyncio.sleep(pause)
