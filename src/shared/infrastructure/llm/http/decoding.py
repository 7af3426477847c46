"""A body's JSON, decoded without keeping the event loop from its other work."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from src.shared.domain.llm_errors import LLMReplyError
from src.shared.infrastructure.llm.provider_errors import TOO_MANY_VALUES, Endpoint

LARGE = 262_144
"""Bytes from which a body is decoded in a thread."""
MOST_VALUES = 100_000
"""Values (and keys) of a large body. What a model wrote is a few long strings; a million empty lists in as many bytes
would keep every thread waiting while they are decoded, and take a hundred times their size."""


async def decode(body: bytes, endpoint: Endpoint) -> object:
    """Decode a body; what is no JSON becomes None, which is no completion either.

    Raises:
        LLMReplyError: a large body of too many values.
    """
    if len(body) < LARGE:
        return _decoded(body)
    if not await asyncio.to_thread(holds_at_most, MOST_VALUES, body):
        raise endpoint.error(LLMReplyError, TOO_MANY_VALUES, max_values=MOST_VALUES)
    return await asyncio.to_thread(_decoded, body)


def _decoded(body: bytes) -> object:
    with suppress(ValueError, RecursionError):
        return json.loads(body)
    return None


def holds_at_most(values: int, body: bytes) -> bool:
    """Whether there are not too many values: each follows a bracket or a comma outside of strings."""
    bare = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * values:
        return False
    outside = b"".join(bare.split(b'"')[::2])
    return sum(map(outside.count, (b"[", b"{", b","))) <= values
