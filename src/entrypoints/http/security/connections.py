"""Bounds of a connection that no application sees: its head, its requests in advance, how long it may wait."""

from __future__ import annotations

from asyncio import BaseTransport, TimerHandle, Transport
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle


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
