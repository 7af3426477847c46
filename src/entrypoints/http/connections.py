"""Bounds of what a client sends and takes: its body, and what no application sees of its connection."""

from __future__ import annotations

import asyncio
from asyncio import BaseTransport, TimerHandle, Transport
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.shared.domain.language import Phrase

LINGER = 1.0
"""Seconds in which a client that is still sending can read why it is refused, before the connection is closed."""
_CLOSE = (("Connection", "close"),)
_DIGITS = 18
"""Of the longest length that is read as a number."""


def bounded_bodies(
    app: ASGIApp,
    *,
    most: int,
    seconds: float,
    streamed: Collection[str] = (),
    linger: float = LINGER,
    respond: Callable[[Problem], ASGIApp] = problem_response,
) -> ASGIApp:
    """An application that meets a `Problem` where it reads more of a body than may come, or has to wait too long.

    Args:
        app: answers problems that are raised while it reads.
        most: bytes of a body. One that is announced as larger never reaches the application.
        seconds: in which a body has to arrive, or the next piece of a streamed one.
        streamed: the paths whose bodies are streamed, and bounded by the application itself.
        linger: seconds before a connection is closed whose client is still sending.
        respond: makes the answer of who is refused here.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_streamed = scope["path"] in streamed
        body = _Body(receive, send, inf if is_streamed else most, seconds, linger, is_streamed)
        lengths = [length for length in header_values(scope, b"content-length") if length.isdigit()]
        if any(len(length) > _DIGITS or int(length) > body.most for length in lengths):
            body.is_too_large = not header_values(scope, b"expect")  # which waits for us, and sends nothing
            await respond(body.too_large())(scope, receive, body.send)
        else:
            await app(scope, body.read, body.send)

    return answer


@dataclass
class _Body:
    """Both ways of one request."""

    receive: Receive
    _send: Send
    most: float
    seconds: float
    linger: float
    is_streamed: bool
    size: int = 0
    ends: float = 0.0
    is_whole: bool = False
    is_too_large: bool = False

    def too_large(self) -> Problem:
        """What a body is answered that has more bytes than it may."""
        return Problem(413, "BODY_TOO_LARGE", Phrase("a body has at most {most} bytes", most=self.most), headers=_CLOSE)

    async def read(self) -> Message:
        """The next piece, in time."""
        if self.is_whole:
            return await self.receive()  # it waits for the client to leave
        if self.is_streamed or not self.ends:
            self.ends = asyncio.get_running_loop().time() + self.seconds
        try:
            async with asyncio.timeout_at(self.ends):
                message = await self.receive()
        except TimeoutError:
            detail = Phrase("a body has to arrive within {seconds:g} seconds", seconds=self.seconds)
            raise Problem(408, "BODY_TOO_SLOW", detail, headers=_CLOSE) from None
        self.size += len(message.get("body", b""))
        if self.size > self.most:
            self.is_too_large = True
            raise self.too_large()
        self.is_whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send, and read on for a moment: a client that is cut off while it sends cannot read its refusal."""
        if not self.is_too_large or message["type"] != "http.response.body":
            await self._send(message)
            return
        await self._send({**message, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(self.linger):
                while (await self.receive()).get("more_body", False):
                    pass
        await self._send({"type": "http.response.body"})


@dataclass(frozen=True)
class ConnectionBounds:
    """What a client may do with connections.

    Attributes:
        connections: most of one worker. For a new one, the address that has most of them loses the one that has been
            without a request for longest.
        head_seconds: in which the head of a request has to arrive, from its first byte or the start of the connection.
        head_bytes: most bytes of a head.
        headers: most headers.
        pipelined: most requests that are sent before the answer to the first.
        write_seconds: after which a client that takes none of its answer is cut off.
    """

    connections: int = 500
    head_seconds: float = 10
    head_bytes: int = 32_768
    headers: int = 100
    pipelined: int = 16
    write_seconds: float = 30


BOUNDS = ConnectionBounds()


def server_options() -> dict[str, Any]:
    """The settings of uvicorn that belong to the guards: no proxy is believed here, and no program is named."""
    return {"http": BoundedProtocol, "ws": "none", "proxy_headers": False, "server_header": False}


class TooMuchError(Exception):
    """A head is too large, or too many requests wait; the connection is answered 400 and closed."""


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's protocol with bounds, for its setting `http`.

    Uvicorn's own has no timer before the head of a request is complete, and keeps whatever comes. A process has one
    server, whose connections the class counts.
    """

    bounds: ClassVar[ConnectionBounds] = BOUNDS
    open: ClassVar[dict[str, dict[BoundedProtocol, None]]] = {}
    """The connections of each address, those that were used longest ago first."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*args, **options)
        self._address = ""
        self._timers: dict[str, TimerHandle] = {}
        self._is_body = False
        self._heads = self._head_bytes = 0

    # --- the connection ---

    def connection_made(self, transport: BaseTransport) -> None:
        """Count a connection; one too many takes the place of another."""
        super().connection_made(cast("Transport", transport))
        self._address = self.client[0] if self.client else ""
        self.open.setdefault(self._address, {})[self] = None
        self._abort_after(self.bounds.head_seconds, "head")
        if len(self.connections) > self.bounds.connections:
            most = max(self.open.values(), key=len)
            idle = (one for one in most if not one.is_under_way())
            next(idle, next(iter(most))).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        beside = self.open[self._address]
        del beside[self]
        if not beside:
            del self.open[self._address]
        self._stop_timer("head")
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what comes, and see that a head ends in time."""
        heads, was_body = self._heads, self._is_body
        super().data_received(data)
        if self.transport.is_closing():
            return
        self._head_bytes = 0 if self._heads > heads or was_body else self._head_bytes + len(data)
        if self._head_bytes > self.bounds.head_bytes:
            self.send_400_response("The head of the request is too large.")
        if self.is_under_way():
            self._stop_timer("head")
        elif "head" not in self._timers:
            self._abort_after(self.bounds.head_seconds, "head")

    def is_under_way(self) -> bool:
        """Whether a request is being answered, or its body read."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def pause_writing(self) -> None:
        """Give the client some time to take its answer."""
        super().pause_writing()
        self._abort_after(self.bounds.write_seconds, "write")

    def resume_writing(self) -> None:
        """It took it."""
        super().resume_writing()
        self._stop_timer("write")

    def _abort_after(self, seconds: float, what: str) -> None:
        self._timers[what] = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self, what: str) -> None:
        if what in self._timers:
            self._timers.pop(what).cancel()

    # --- a request ---

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        super().on_header(name, value)
        if len(self.headers) > self.bounds.headers:
            raise TooMuchError

    def on_headers_complete(self) -> None:
        """Start a request, or keep it until those before it are answered."""
        self._heads += 1
        self._is_body = True
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self.bounds.head_bytes or len(self.pipeline) >= self.bounds.pipelined:
            raise TooMuchError
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note the end of a body."""
        self._is_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        super().on_response_complete()
        beside = self.open[self._address]
        beside[self] = beside.pop(self)
