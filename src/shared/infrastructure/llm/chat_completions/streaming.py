"""An answer as it is written: pieces of text first, and in the end the same reply as without a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from typing import Protocol, Self

from src.shared.domain.llm_errors import LLMError, LLMReplyError
from src.shared.domain.ports.llm import LLMReply
from src.shared.infrastructure.llm.chat_completions.server_sent_events import values
from src.shared.infrastructure.llm.chat_completions.wire import Collected, paired, to_reply
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.http.cooperative_pause import CooperativePause
from src.shared.infrastructure.llm.http.transport import Patience
from src.shared.infrastructure.llm.provider_errors import Endpoint

with needs_extra():
    from httpx2 import HTTPError


class Body(Protocol):
    """A response's body, as httpx has it."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Its bytes, decompressed."""
        ...


class ReplyStream:
    """The pieces of an answer's text, or of a call's arguments; `reply` is there when they have all been taken.

    Iterating raises `LLMError` as `LLMPort.generate` does. A stream that breaks is an `LLMConnectionError`. One that
    just ends without a finish reason gives a reply of `FinishReason.UNKNOWN`: the text has to show its end.
    """

    def __init__(
        self, body: Body, patience: Patience, endpoint: Endpoint, tool: str | None, held: AsyncExitStack
    ) -> None:
        self._held = held
        self._breather = CooperativePause()
        self._bytes = body.aiter_bytes()
        self._events = values(self._bytes)
        self._patience = patience
        self._endpoint = endpoint
        self._tool = tool
        self._collected = Collected(endpoint, tool)
        self._half = ""
        self._reply: LLMReply | None = None
        self._is_broken = False

    @property
    def reply(self) -> LLMReply:
        """The whole answer; its latency is 0, for the time between the pieces is the caller's, too.

        Raises:
            LLMReplyError: the answer is not whole yet.
        """
        if self._reply is None:
            raise self._not_whole()
        return self._reply

    def _not_whole(self) -> LLMError:
        return self._endpoint.error(LLMReplyError, reason="the stream has not been read to its end")

    def __aiter__(self) -> Self:
        """The stream itself: it can be read once."""
        return self

    async def __anext__(self) -> str:
        """Wait for the next piece; none is empty."""
        if self._is_broken:
            raise self._not_whole()
        if self._reply is not None:
            raise StopAsyncIteration
        self._is_broken = True  # unless the next lines come to their end
        text = await self._patience.wait_for(self._next(), LLMReplyError)
        self._is_broken = False
        if not text:
            raise StopAsyncIteration
        return text

    async def _next(self) -> str:
        """The next piece; at the end, when there is a reply, what was held back, or nothing."""
        async for chunk in self._events:
            await self._breather.pause()
            if text := self._joined(self._collected.add(chunk)):
                return text
        self._reply = to_reply(self._collected.completion(), self._endpoint, self._tool)
        return paired(self._half)

    def _joined(self, text: str) -> str:
        """A chunk's text with the surrogate that was held back; one that the next chunk may complete is held back."""
        if not text:
            return ""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return paired(text)

    async def aclose(self) -> None:
        """Give the connection back; what was not read of the answer is lost."""
        try:
            await self._events.aclose()
            if self._reply is not None:
                await self._read_on()
        finally:
            await self._held.aclose()

    async def _read_on(self) -> None:
        """Read what follows a whole answer, for a moment: a connection that is read to its end serves again."""
        with suppress(TimeoutError, HTTPError):
            async with asyncio.timeout(_MOMENT):
                async for _ in self._bytes:
                    pass


_MOMENT = 0.2
"""Seconds."""
