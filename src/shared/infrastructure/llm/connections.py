"""The connections to providers: how many requests go there, where none is sent, and how much of a response is read.

Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY`), and so are certificates (`SSL_CERT_FILE`,
`SSL_CERT_DIR`).

A response is counted as it comes over the wire and as it is decompressed. Only gzip is asked for, and it is unpacked
here, a step at a time, so that a small response cannot become a large one before it is counted. What goes beyond a
bound is not read, and the connection is dropped.

What comes at once is worked through at once, before others have their turn, and tens of thousands of interim responses,
headers or chunks fit into the 64 KiB that the HTTP client reads otherwise: it reads in small pieces here.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import threading
import time
import zlib
from asyncio import sleep
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from time import monotonic
from typing import Any, Generic, TypeVar, cast

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMReplyError, LLMRequestError
from src.shared.infrastructure.llm.provider_errors import (
    CLOSED,
    EVENT_TOO_LARGE,
    NOT_UNPACKED,
    REDIRECTED,
    TOO_LARGE,
    TOO_MANY_VALUES,
    Endpoint,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra():
    import httpcore2
    import httpx2

T = TypeVar("T")

MINUTE = 60.0
MOST_AT_ONCE = 8_192
"""Bytes of one reading."""
ERROR_LIMIT = 65_536
"""Bytes read of the body of an error or a redirect: the status says what is wrong, and the rest is left aside."""
EVENT_LIMIT = 262_144
"""Bytes of one server-sent event, which is decoded at once."""
STREAM_ROOM = 32
"""How many times larger a stream may be than a whole body: each few characters of it come in an event of their own."""
LARGE = 262_144
"""Bytes from which a body is decoded in a thread."""
MOST_VALUES = 100_000
"""Values (and keys) of a large body. What a model wrote is a few long strings; a million empty lists in as many bytes
would keep every thread waiting while they are decoded, and take a hundred times their size."""

_IDLE_CONNECTIONS = 100
"""Connections that are kept open for the next calls."""
_MOST_REDIRECTS = 5
_STREAMED = "streamed"
_WORK = 0.01
"""Seconds of work after which the others have their turn."""
_STEP = 16_384
"""Bytes that are handed on at once."""
_GZIP = {"gzip", "x-gzip"}
_BLANK_LINE = re.compile(rb"\n\n|\r\r|\n\r")


class PerLoop(Generic[T]):
    """Makes a thing when a loop first asks for it, and forgets those of closed loops."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._things: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """The thing of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._things:
            self._things = {other: thing for other, thing in self._things.items() if not other.is_closed()}
            self._things[loop] = self._make()
        return self._things[loop]

    def forget(self) -> T | None:
        """Forget all of them; the running loop's is returned, if there is one."""
        things, self._things = self._things, {}
        return things.get(asyncio.get_running_loop())


class Limiter:
    """Lets requests through in the order of their arrival.

    Args:
        concurrency: most requests at once, for each event loop; 0 sets no bound.
        requests_per_minute: most requests that begin within any 60 seconds, of all event loops together; 0 sets no
            bound.
    """

    def __init__(self, concurrency: int, requests_per_minute: int = 0) -> None:
        self._places: PerLoop[AbstractAsyncContextManager[object]] = PerLoop(
            lambda: asyncio.Semaphore(concurrency) if concurrency else nullcontext()
        )
        self._turns = PerLoop(asyncio.Lock)
        self._begun: deque[float] = deque(maxlen=requests_per_minute)
        self._counting = threading.Lock()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and hold it; a wait that is cancelled leaves nothing behind."""
        async with self._places.get():
            async with self._turns.get():
                while seconds := self._seconds_to_wait():  # noqa: ASYNC110 - for the time to pass
                    await sleep(seconds)
            yield

    def _seconds_to_wait(self) -> float:
        """How long until one more may begin; where that is no time, one more has begun."""
        with self._counting:
            now = monotonic()
            if 0 < len(self._begun) == self._begun.maxlen and now - self._begun[0] < MINUTE:
                return MINUTE - (now - self._begun[0])
            self._begun.append(now)
            return 0.0


class RefusedError(httpx2.TransportError):
    """Goes through the vendor's package as a broken connection would, and is a domain error behind it.

    Attributes:
        refusal: which error it becomes, what that says, and its `details`.
    """

    def __init__(self, kind: type[LLMError], problem: Message, **facts: Any) -> None:  # noqa: ANN401 - facts of any JSON type
        super().__init__(problem.en)
        self.refusal = kind, problem, facts


class CooperativePause:
    """Counts the seconds since the last pause."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    async def pause(self) -> None:
        """Pause if it is time."""
        if time.perf_counter() - self._since > _WORK:
            await asyncio.sleep(0)
            self._since = time.perf_counter()


class HttpClient(httpx2.AsyncClient):
    """Sends to the address of one base URL only, and reads bounded responses."""

    def __init__(self, settings: LLMSettings, base_url: str, certificates: ssl.SSLContext) -> None:
        super().__init__(
            verify=certificates,
            timeout=httpx2.Timeout(settings.timeout, connect=settings.connect_timeout),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_IDLE_CONNECTIONS),
            headers={"Accept-Encoding": "gzip"},
            follow_redirects=True,
            max_redirects=_MOST_REDIRECTS,
            event_hooks={"request": [self._stays_here], "response": [self._is_bounded]},
        )
        for transport in (self._transport, *self._mounts.values()):
            pool = getattr(transport, "_pool", None)
            if isinstance(pool, httpcore2.AsyncConnectionPool):  # else a pattern of NO_PROXY
                small = cast("httpcore2.AsyncNetworkBackend", _SmallReads(pool._network_backend))  # noqa: SLF001 - as below
                pool._network_backend = small  # noqa: SLF001 - has no public way in
        self._address = _address(httpx2.URL(base_url))
        self._max_bytes = settings.max_response_bytes

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401 - as in the base class
        """Send a request.

        Raises:
            RefusedError: closed since the call began.
        """
        if self.is_closed:
            raise RefusedError(LLMConfigurationError, CLOSED)
        request.extensions[_STREAMED] = options.get("stream", False)
        return await super().send(request, **options)

    async def _stays_here(self, request: httpx2.Request) -> None:
        """Before each request, those that follow a redirect too: refuse to go elsewhere, or without the prompt."""
        if _address(request.url) != self._address or request.method != "POST":
            raise RefusedError(LLMRequestError, REDIRECTED)

    async def _is_bounded(self, response: httpx2.Response) -> None:
        """Put bounds on a response of which only the head has been read.

        The body of an error is read here, where a connection that breaks meanwhile is still translated.
        """
        encoding = response.headers.pop("content-encoding", "").strip().lower()
        if response.is_success and encoding not in {*_GZIP, "", "identity"}:
            raise RefusedError(LLMReplyError, NOT_UNPACKED)
        most, of_event = self._max_bytes, None
        if not response.is_success:
            most = ERROR_LIMIT
        elif response.request.extensions[_STREAMED]:
            most, of_event = most * STREAM_ROOM, min(most, EVENT_LIMIT)
        response.stream = _BoundedStream(response, most, of_event, is_gzip=encoding in _GZIP)
        if not response.is_success:
            await response.aread()


def _address(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


class _SmallReads:
    """A network backend, or a connection, that does what another one does, and reads less at once."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - of either
        self._inner = inner

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the other one has
        return getattr(self._inner, name)

    async def connect_tcp(self, *args: Any, **options: Any) -> _SmallReads:  # noqa: ANN401 - of the other one
        return _SmallReads(await self._inner.connect_tcp(*args, **options))

    async def start_tls(self, *args: Any, **options: Any) -> _SmallReads:  # noqa: ANN401 - of the other one
        return _SmallReads(await self._inner.start_tls(*args, **options))

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - of the other one
        return cast("bytes", await self._inner.read(min(max_bytes, MOST_AT_ONCE), timeout))


class _BoundedStream(httpx2.AsyncByteStream):
    """The body of a response, unpacked and counted.

    Args:
        response: whose body it is; that of an error just ends at the bound.
        most: bytes of everything, as it comes and as it is unpacked.
        of_event: bytes of one event, which ends with a blank line; None where there are no events.
        is_gzip: whether it is packed: gzip (RFC 1952), of one member or several.
    """

    def __init__(self, response: httpx2.Response, most: int, of_event: int | None, *, is_gzip: bool) -> None:
        self._source = cast("httpx2.AsyncByteStream", response.stream)  # of an asynchronous client
        self._is_cut = not response.is_success
        self._most, self._of_event, self._is_gzip = most, of_event, is_gzip
        self._packed = self._unpacked = self._since_blank_line = 0
        self._last = b""
        self._inflating: Any = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The pieces.

        Raises:
            RefusedError: there are too many bytes, or it is not what it is said to be.
            httpx2.RemoteProtocolError: the end of what is packed is missing.
        """
        pause = CooperativePause()
        try:
            async for chunk in self._source:
                self._packed += len(chunk)
                _check(TOO_LARGE, self._packed, self._most)
                for piece in self._pieces(chunk):
                    self._count(piece)
                    yield piece
                    await pause.pause()
            if self._inflating:
                yield self._inflating.flush()
                if not self._inflating.eof:
                    message = "the end of the gzip data is missing"
                    raise httpx2.RemoteProtocolError(message)
        except RefusedError:
            if not self._is_cut:
                raise

    def _pieces(self, chunk: bytes) -> Iterator[bytes]:
        if not self._is_gzip:
            yield from (chunk[at : at + _STEP] for at in range(0, len(chunk), _STEP))
            return
        while chunk:
            if self._inflating is None or self._inflating.eof:
                self._inflating = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                piece = self._inflating.decompress(chunk, _STEP)
            except zlib.error:
                raise RefusedError(LLMReplyError, NOT_UNPACKED) from None
            yield piece
            chunk = self._inflating.unused_data if self._inflating.eof else self._inflating.unconsumed_tail

    def _count(self, piece: bytes) -> None:
        """Count what is unpacked, and what of it is one event."""
        self._unpacked += len(piece)
        _check(TOO_LARGE, self._unpacked, self._most)
        if self._of_event is None:
            return
        first, *others = _BLANK_LINE.split(self._last + piece)
        _check(EVENT_TOO_LARGE, self._since_blank_line - len(self._last) + len(first), self._of_event)
        self._since_blank_line = len(others[-1]) if others else self._since_blank_line + len(piece)
        self._last = piece[-1:] or self._last

    async def aclose(self) -> None:
        await self._source.aclose()


def _check(problem: Message, size: int, most: int) -> None:
    if size > most:
        raise RefusedError(LLMReplyError, problem, reason=f"> {most} bytes", max_bytes=most)


def is_event_stream(response: httpx2.Response) -> bool:
    """Whether a response is server-sent events."""
    return response.headers.get("content-type", "").lower().startswith("text/event-stream")


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
