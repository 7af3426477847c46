"""An answer as it is written: pieces of text first, and in the end the same reply as without a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Protocol, Self

from src.shared.domain.llm_errors import LLMReplyError
from src.shared.domain.ports.llm import LLMReply
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.provider_errors import Endpoint
from src.shared.infrastructure.llm.server_sent_events import values
from src.shared.infrastructure.llm.transport import Patience
from src.shared.infrastructure.llm.wire import Collected, to_reply

with needs_extra():
    from httpx2 import HTTPError


class Body(Protocol):
    """A response's body, as httpx has it."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Its bytes, decompressed."""
        ...

    async def aclose(self) -> None:
        """Give the connection back."""
        ...


class ReplyStream:
    """The pieces of an answer's text, in order; `reply` is there when they have all been taken.

    Iterating raises `LLMError` as `LLMPort.generate` does. A stream that breaks is an `LLMConnectionError`. One that
    just ends without a finish reason gives a reply of `FinishReason.UNKNOWN`: the text has to show its end.
    """

    def __init__(self, body: Body, patience: Patience, endpoint: Endpoint, tool: str | None = None) -> None:
        self._body = body
        self._bytes = body.aiter_bytes()
        self._events = values(self._bytes)
        self._patience = patience
        self._endpoint = endpoint
        self._tool = tool
        self._collected = Collected(endpoint)
        self._reply: LLMReply | None = None

    @property
    def reply(self) -> LLMReply:
        """The whole answer; its latency is 0, for the time between the pieces is the caller's, too.

        Raises:
            LLMReplyError: the answer is not whole yet.
        """
        if self._reply is None:
            raise self._endpoint.error(LLMReplyError, reason="the stream has not been read to its end")
        return self._reply

    def __aiter__(self) -> Self:
        """The stream itself: it can be read once."""
        return self

    async def __anext__(self) -> str:
        """Wait for the next piece; none is empty."""
        while self._reply is None:
            chunk = await self._patience.wait_for(anext(self._events, _END), LLMReplyError)
            if chunk is _END:
                self._reply = to_reply(self._collected.completion(), self._endpoint, self._tool)
            elif text := self._collected.add(chunk):
                return text
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Give the connection back; what was not read of the answer is lost."""
        await self._events.aclose()
        if self._reply is not None:
            await self._read_on()
        await self._body.aclose()

    async def _read_on(self) -> None:
        """Read what follows a whole answer, for a moment: a connection that is read to its end serves again."""
        with suppress(TimeoutError, HTTPError):
            async with asyncio.timeout(_MOMENT):
                async for _ in self._bytes:
                    pass


_END = object()
_MOMENT = 0.2
"""Seconds."""
