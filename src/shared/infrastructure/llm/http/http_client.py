"""The connections to providers: one client for each event loop, and where it never sends anything.

Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY`), and so are certificates (`SSL_CERT_FILE`,
`SSL_CERT_DIR`).

What comes at once is worked through at once, before others have their turn, and tens of thousands of interim responses,
headers or chunks fit into the 64 KiB that the HTTP client reads otherwise: it reads in small pieces here.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Generic, Protocol, TypeVar

from src.shared.domain.llm_errors import LLMConfigurationError, LLMRequestError
from src.shared.infrastructure.llm.http.limiter import Limiter, PerLoop
from src.shared.infrastructure.llm.http.response_bounds import ACCEPTED_ENCODING, RefusedError, bound
from src.shared.infrastructure.llm.provider_errors import (
    CLOSED,
    REDIRECTED,
    UNUSABLE_ENVIRONMENT,
    Endpoint,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra():
    import httpcore2
    import httpx2


MOST = 8_192
"""Bytes of one reading."""


class _SmallReads(httpcore2.AsyncNetworkBackend):
    """Connects as another backend does, and reads less at once."""

    def __init__(self, backend: httpcore2.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.AsyncNetworkStream:  # noqa: ANN401 - as in the base class
        return _SmallReadStream(await self._backend.connect_tcp(*args, **options))


class _SmallReadStream(httpcore2.AsyncNetworkStream):
    """A connection."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - of the base class
        return await self._stream.read(min(max_bytes, MOST), timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - of the base class
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - of the base class
    ) -> httpcore2.AsyncNetworkStream:
        return _SmallReadStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - of the base class
        return self._stream.get_extra_info(info)


class Closable(Protocol):
    """A client, ours or a vendor's."""

    @property
    def aclose(self) -> Callable[[], Awaitable[None]]:
        """Closes its connections."""


T = TypeVar("T")
C = TypeVar("C", bound=Closable)

_IDLE_CONNECTIONS = 100
"""Connections that are kept open for the next calls."""
_MOST_REDIRECTS = 5
_STREAMED = "streamed"


class Clients(Generic[C]):
    """A client for each event loop, closed with its loop or by `aclose`; and who may use it when.

    A loop that ends as `asyncio.run` ends it (after `shutdown_asyncgens`) has its connections closed by then.

    Args:
        endpoint: where requests go, for error messages.
        limiter: how many may go there.
        make: makes a client that trusts these certificates.
    """

    def __init__(self, endpoint: Endpoint, limiter: Limiter, make: Callable[[ssl.SSLContext], C]) -> None:
        self._endpoint = endpoint
        self._limiter = limiter
        self._certificates = self._usable(httpx2.create_ssl_context)
        self._clients = PerLoop(lambda: _client_until_loop_ends(self._usable(lambda: make(self._certificates))))
        self._is_closed = False

    @asynccontextmanager
    async def place(self) -> AsyncIterator[C]:
        """Wait until one more request may be sent, and hold the place of it and the running loop's client.

        Raises:
            LLMConfigurationError: closed before, or the environment's proxies cannot be used.
        """
        async with self._limiter.place():
            yield await self.client()

    async def client(self) -> C:
        """The running loop's client.

        Raises:
            LLMConfigurationError: as for `place`.
        """
        if not self._is_closed:
            with suppress(StopAsyncIteration, RuntimeError):  # the loop is ending
                return await anext(self._clients.get())
        raise self._endpoint.error(LLMConfigurationError, CLOSED)

    async def aclose(self) -> None:
        """Close the running loop's connections; those of other loops are closed in their loop."""
        self._is_closed = True
        for client in self._clients.forget():
            await client.aclose()

    def _usable(self, make: Callable[[], T]) -> T:
        try:
            return make()
        except (ImportError, OSError, ValueError) as error:
            reason = type(error).__name__
        raise self._endpoint.error(LLMConfigurationError, UNUSABLE_ENVIRONMENT, reason=reason)


async def _client_until_loop_ends(client: C) -> AsyncGenerator[C]:
    """Give out a client, as often as asked; a loop that ends closes its generators, and this one the client."""
    try:
        while True:
            yield client
    finally:
        await client.aclose()


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
            _read_in_small_pieces(transport)
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


def _read_in_small_pieces(transport: Any) -> None:  # noqa: ANN401 - its parts have no public names
    pool = getattr(transport, "_pool", None)
    if pool is not None:  # else a pattern of NO_PROXY
        pool._network_backend = _SmallReads(pool._network_backend)  # noqa: SLF001 - has no public way in


def _address(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
