"""The connections to providers: how many requests go there, one client for each event loop, and where it never sends.

Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY`), and so are certificates (`SSL_CERT_FILE`,
`SSL_CERT_DIR`).

What comes at once is worked through at once, before others have their turn, and tens of thousands of interim responses,
headers or chunks fit into the 64 KiB that the HTTP client reads otherwise: it reads in small pieces here.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from asyncio import sleep
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from time import monotonic
from typing import Any, Generic, TypeVar, cast

from src.shared.domain.llm_errors import LLMConfigurationError, LLMRequestError
from src.shared.infrastructure.llm.provider_errors import CLOSED, REDIRECTED, needs_extra
from src.shared.infrastructure.llm.response_bounds import ACCEPTED_ENCODING, RefusedError, bound
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra():
    import httpcore2
    import httpx2

T = TypeVar("T")

MINUTE = 60.0
MOST_AT_ONCE = 8_192
"""Bytes of one reading."""
_IDLE_CONNECTIONS = 100
"""Connections that are kept open for the next calls."""
_MOST_REDIRECTS = 5
_STREAMED = "streamed"


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


class HttpClient(httpx2.AsyncClient):
    """Sends to the address of one base URL only, and reads bounded responses."""

    def __init__(self, settings: LLMSettings, base_url: str, certificates: ssl.SSLContext) -> None:
        super().__init__(
            verify=certificates,
            timeout=httpx2.Timeout(settings.timeout, connect=settings.connect_timeout),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_IDLE_CONNECTIONS),
            headers={"Accept-Encoding": ACCEPTED_ENCODING},
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
        """Read the body of an error here, where a connection that breaks meanwhile is still translated."""
        bound(response, self._max_bytes, is_streamed=response.request.extensions[_STREAMED])
        if not response.is_success:
            await response.aread()


def _address(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
