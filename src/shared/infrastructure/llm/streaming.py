"""An answer as it is written: pieces of text first, and in the end the same reply as without a stream.

Server-sent events: bytes in, the values in the events' data out.

Read as the WHATWG's standard has it ("Server-sent events", interpreting an event stream), but for the case of fields'
names, which gateways change. Comments, pings and events without data are what servers keep a connection open with.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Self

from src.shared.domain.llm_errors import LLMError, LLMReplyError
from src.shared.domain.ports.llm import LLMReply
from src.shared.infrastructure.llm.http.response_bounds import CooperativePause
from src.shared.infrastructure.llm.http.transport import Deadline
from src.shared.infrastructure.llm.provider_errors import Endpoint, needs_extra
from src.shared.infrastructure.llm.wire import Collected, paired, to_reply

with needs_extra():
    from httpx2 import HTTPError, Response

_DONE = "[DONE]"
_PINGS = frozenset({"ping", "keepalive", "keep-alive", "heartbeat"})
_AROUND_NAMES = "\ufeff \t"
"""What may stand around a field's name: a byte order mark at the stream's begin, and blanks."""


async def values(chunks: AsyncIterator[bytes]) -> AsyncGenerator[object]:
    """The decoded value of each event's data, until `[DONE]` or the end of the stream.

    An event named `error` gives an object with the member `error`, which is how a body reports one.

    Raises:
        ValueError: data that is no JSON, or bytes that are no UTF-8.
    """
    name, data = "", list[str]()
    async with aclosing(_lines(chunks)) as lines:
        async for line in lines:
            if line:
                field, value = _field(line)
                if field == "data":
                    data.append(value.removeprefix(" "))
                elif field == "event":
                    name = value.strip().lower()
                continue
            said = "" if name in _PINGS else "\n".join(data)
            if said.strip().upper() == _DONE:
                return
            if said:
                decoded = json.loads(said)
                yield {"error": decoded or name} if name == "error" else decoded
            name, data = "", []


def _field(line: bytes) -> tuple[str, str]:
    """The name and the value of a line; a comment begins with a colon and has no name."""
    name, _, value = line.decode().partition(":")
    return name.strip(_AROUND_NAMES).lower(), value


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Lines without their ends; an empty one ends the last event, whatever comes of the stream.

    Each byte is looked at once: a line that has no end yet is kept in pieces.
    """
    kept: list[bytes] = []
    after_return = False
    async for chunk in chunks:
        fresh = chunk.removeprefix(b"\n") if after_return else chunk
        after_return = fresh.endswith(b"\r")
        *ended, rest = fresh.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in ended:
            yield b"".join([*kept, line])
            kept.clear()
        kept.append(rest)
    yield b"".join(kept)
    yield b""


class ReplyStream:
    """The pieces of an answer's text, or of a call's arguments; `reply` is there when they have all been taken.

    Iterating raises `LLMError` as `LLMPort.generate` does. A stream that breaks is an `LLMConnectionError`. One that
    just ends without a finish reason gives a reply of `FinishReason.UNKNOWN`: the text has to show its end.
    """

    def __init__(
        self, response: Response, deadline: Deadline, endpoint: Endpoint, tool: str | None, held: AsyncExitStack
    ) -> None:
        self._held = held
        self._pause = CooperativePause()
        self._bytes = response.aiter_bytes()
        self._events = values(self._bytes)
        self._deadline = deadline
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
        text = await self._deadline.wait_for(self._next(), LLMReplyError)
        self._is_broken = False
        if not text:
            raise StopAsyncIteration
        return text

    async def _next(self) -> str:
        """The next piece; at the end, when there is a reply, what was held back, or nothing."""
        async for chunk in self._events:
            await self._pause.pause()
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
