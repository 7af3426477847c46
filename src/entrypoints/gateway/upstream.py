"""The API behind the gateway: one host, whose answers are bounded; no cookie of it is kept, no redirect followed."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote_to_bytes
from urllib.request import getproxies, proxy_bypass

import httpx2
from starlette.types import Scope, Send

from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Phrase

Headers = list[tuple[bytes, bytes]]

OURS = b"x-llm-output-"
"""How the headers begin that tell of a reading: nobody else's pass."""
GATEWAY_KEY = OURS + b"key"
"""The header with a key of the gateway's own: `Authorization` is the upstream's."""
_HOP_BY_HOP = (
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
NOT_SENT = (b"host", b"content-length", b"expect")
"""What else of a request does not pass."""
NOT_ANSWERED = (b"date",)
"""What else of an answer does not."""
NOT_READ = (*NOT_ANSWERED, b"content-length", b"content-encoding")
"""What else of an answer does not that is read: it is unpacked, and may be of another length."""
_CONNECTIONS = httpx2.Limits(max_connections=None, max_keepalive_connections=1_000, keepalive_expiry=4)
_STEP = 65_536
"""Bytes that are unpacked at once."""
_GZIP = frozenset({"gzip", "x-gzip"})


class Upstream:
    """Sends requests to the API behind the gateway."""

    def __init__(self, settings: GatewaySettings) -> None:
        """Connect to nothing yet."""
        self._url = httpx2.URL(settings.upstream)
        proxy = None if proxy_bypass(self._url.host) else getproxies().get(self._url.scheme)
        self._transport = httpx2.AsyncHTTPTransport(limits=_CONNECTIONS, proxy=proxy)
        self._base = self._url.raw_path.rstrip(b"/")
        seconds, self._most = settings.first_byte_timeout, settings.max_answer
        self._timeout = {"connect": settings.connect_timeout, "read": seconds, "write": seconds, "pool": None}

    def target(self, scope: Scope) -> bytes:
        """The path and the query at the upstream, whose base stands for `/v1`.

        Raises:
            Problem: the path leaves the upstream's (400).
        """
        path: bytes = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
        plain = unquote_to_bytes(unquote_to_bytes(path))
        leaves = b"\\" in plain or b".." in [part.partition(b";")[0] for part in plain.split(b"/")]
        if leaves or not path.startswith(b"/") or min(plain) < ord(" "):
            raise Problem(400, "PATH_REFUSED", Phrase("the path must be one below the upstream's"))
        below = path.startswith(b"/v1/") or path == b"/v1"
        target = self._base + path[3:] if below else self._base.removesuffix(b"/v1") + path
        return target + b"?" + scope["query_string"] if scope["query_string"] else target

    @asynccontextmanager
    async def answer(self, method: str, target: bytes, headers: Headers, body: bytes) -> AsyncIterator[httpx2.Response]:
        """The head of an answer; its body is read inside, and the connection is given back or closed in the end.

        Raises:
            Problem: there is no answer in time (504), or none that can be used (502).
        """
        response: httpx2.Response | None = None

        async def trace(event: str, _: object) -> None:
            if event == "http11.response_closed.started" and response is not None and _has_more(response):
                await response.extensions["network_stream"].aclose()  # the next answer would begin with it

        url, own = self._url.copy_with(raw_path=target or b"/"), [(b"host", self._url.netloc), *headers]
        extensions = {"timeout": self._timeout, "trace": trace}
        try:
            request = httpx2.Request(method, url, headers=own, content=body, extensions=extensions)
            response = await self._transport.handle_async_request(request)
            try:
                yield response
            finally:
                await response.aclose()
        except httpx2.TimeoutException:
            raise Problem(504, "UPSTREAM_TIMEOUT", Phrase("the upstream did not answer in time")) from None
        except httpx2.ConnectError:
            detail = Phrase("the upstream cannot be reached; is its address right, and does it run?")
            raise Problem(502, "UPSTREAM_UNREACHABLE", detail) from None
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise broken() from None

    async def whole(self, response: httpx2.Response) -> bytes:
        """All of a body, unpacked.

        Raises:
            Problem: it is too large, or packed in a way that nobody asked for (502).
        """
        body = bytearray()
        async for piece in self.pieces(response):
            body += piece
            if len(body) > self._most:
                raise too_large(self._most)
        return bytes(body)

    async def pieces(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """The pieces of a body, unpacked.

        Raises:
            Problem: it is packed in a way that nobody asked for (502).
        """
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in {*_GZIP, "", "identity"}:
            raise Problem(502, "UPSTREAM_ENCODING", Phrase("the upstream packed its answer in another way than gzip"))
        inflating: Any = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding in _GZIP else None
        async for chunk in response.aiter_raw():
            rest = chunk
            while rest and inflating:
                try:
                    yield inflating.decompress(rest, _STEP)
                except zlib.error:
                    raise broken() from None
                rest = b"" if inflating.eof else inflating.unconsumed_tail
            if rest:
                yield rest
        if inflating and not inflating.eof:
            raise broken()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()


def _has_more(response: httpx2.Response) -> bool:
    """Whether more came than the length that was told; HTTPX tells of it nowhere else."""
    found: Any = response.stream
    for name in ("_httpcore_stream", "_stream", "_connection", "_h11_state"):
        found = getattr(found, name, None)
    return found is not None and bool(found.trailing_data[0])


@asynccontextmanager
async def answer_timeout(seconds: float) -> AsyncIterator[None]:
    """A block that has to end in time.

    Raises:
        Problem: it did not (504).
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        detail = Phrase("there was no whole answer within {seconds:g} seconds", seconds=seconds)
        raise Problem(504, "ANSWER_TIMEOUT", detail) from None


def too_large(most: int) -> Problem:
    """What is answered where an answer of the upstream has more bytes, or characters, than are read."""
    return Problem(502, "UPSTREAM_TOO_LARGE", Phrase("an answer has at most {most} bytes", most=most))


def broken() -> Problem:
    """What is answered where the upstream's answer just ends."""
    return Problem(502, "UPSTREAM_BROKEN", Phrase("the connection to the upstream broke before the answer was whole"))


async def send_whole(send: Send, status: int, headers: Headers, body: bytes) -> None:
    """Send a whole answer of the upstream; a redirect is an error, since it would lead past the gateway."""
    status = 502 if 300 <= status < 400 else status  # noqa: PLR2004 - of HTTP
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def passed_headers(headers: Iterable[tuple[bytes, bytes]], gone: Iterable[bytes]) -> Headers:
    """The headers of a request or an answer as the next one gets them.

    Those of one connection only go, and those of the gateway's own.

    Args:
        headers: as they came.
        gone: in lower case, what else goes.
    """
    lowered = [(name.lower(), value) for name, value in headers]
    named = {part.strip().lower() for name, value in lowered if name == b"connection" for part in value.split(b",")}
    named |= {*_HOP_BY_HOP, *gone}
    return [(name, value) for name, value in lowered if name not in named and not name.startswith(OURS)]
