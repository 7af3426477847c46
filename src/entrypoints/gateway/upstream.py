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
from starlette.types import Scope

from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Phrase

Headers = list[tuple[bytes, bytes]]

OURS = b"x-llm-output-"
"""How the headers begin that tell of a reading: nobody else's pass with an answer that is read."""
GATEWAY_KEY = OURS + b"key"
"""The header with a key of the gateway's own: `Authorization` is the upstream's."""
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
_NOT_SENT = _HOP_BY_HOP | {b"host", b"content-length", b"expect", GATEWAY_KEY}
_NOT_ANSWERED = _HOP_BY_HOP | {b"date"}
_CONNECTIONS = httpx2.Limits(max_connections=None, max_keepalive_connections=1_000, keepalive_expiry=4)
STREAM_ROOM = 32
"""How many times larger a stream may be than its text: each few characters of it come in an event of their own."""
_STEP = 65_536
"""Bytes that are unpacked at once."""
_GZIP = frozenset({"gzip", "x-gzip"})
_PATH = Phrase("the path must be one below the upstream's")


class Upstream:
    """Sends requests to the API behind the gateway."""

    def __init__(self, settings: GatewaySettings) -> None:
        """Connect to nothing yet."""
        self._url = httpx2.URL(settings.upstream)
        host = self._url.host
        proxy = None if proxy_bypass(host) else getproxies().get(self._url.scheme)
        self._transport = httpx2.AsyncHTTPTransport(limits=_CONNECTIONS, proxy=proxy)
        self._base = self._url.raw_path.rstrip(b"/")
        self._host = (b"host", self._url.netloc)
        seconds = settings.first_byte_timeout
        self._timeout = {"connect": settings.connect_timeout, "read": seconds, "write": seconds, "pool": None}
        self._most = settings.max_answer

    def target(self, scope: Scope) -> bytes:
        """The path and the query at the upstream, whose base stands for `/v1`.

        Raises:
            Problem: the path leaves the upstream's (400).
        """
        path: bytes = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
        plain = unquote_to_bytes(unquote_to_bytes(path))
        if (
            not path.startswith(b"/")
            or b"\\" in plain
            or b".." in [part.partition(b";")[0] for part in plain.split(b"/")]
            or min(plain) < ord(" ")
        ):
            raise Problem(400, "PATH_REFUSED", _PATH)
        below = path.startswith(b"/v1/") or path == b"/v1"
        target = self._base + path[3:] if below else self._base.removesuffix(b"/v1") + path
        return target + b"?" + scope["query_string"] if scope["query_string"] else target

    @asynccontextmanager
    async def answer(self, method: str, target: bytes, headers: Headers, body: bytes) -> AsyncIterator[httpx2.Response]:
        """The head of an answer; its body is read inside, and the connection is given back or closed in the end.

        Raises:
            Problem: there is no answer in time (504), or none that can be used (502).
        """
        answered: list[httpx2.Response] = []

        async def trace(event: str, _: object) -> None:
            if event == "http11.response_closed.started" and any(map(_has_more, answered)):
                await answered[0].extensions["network_stream"].aclose()  # the next answer would begin with it

        request = httpx2.Request(
            method,
            self._url.copy_with(raw_path=target or b"/"),
            headers=[self._host, *headers],
            content=body,
            extensions={"timeout": self._timeout, "trace": trace},
        )
        try:
            response = await self._transport.handle_async_request(request)
            answered.append(response)
            try:
                yield response
            finally:
                await response.aclose()
        except httpx2.TimeoutException:
            raise Problem(504, "UPSTREAM_TIMEOUT", _LATE) from None
        except httpx2.ConnectError:
            raise Problem(502, "UPSTREAM_UNREACHABLE", _UNREACHABLE) from None
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise broken() from None

    async def whole(self, response: httpx2.Response) -> bytes:
        """All of a body, unpacked.

        Raises:
            Problem: it is too large, or packed in a way that nobody asked for (502).
        """
        return b"".join([piece async for piece in self.pieces(response, self._most)])

    async def pieces(self, response: httpx2.Response, most: int) -> AsyncIterator[bytes]:
        """The pieces of a body, unpacked and counted.

        Args:
            response: whose body it is.
            most: bytes of it.

        Raises:
            Problem: as for `whole`.
        """
        encoding, left = response.headers.get("content-encoding", "").strip().lower(), most
        if encoding not in {*_GZIP, "", "identity"}:
            raise Problem(502, "UPSTREAM_ENCODING", _ENCODING)
        inflating: Any = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding in _GZIP else None
        async for chunk in response.aiter_raw():
            rest = chunk
            while rest:
                piece, rest = _inflated(inflating, rest) if inflating else (rest, b"")
                left -= len(piece)
                if left < 0:
                    raise too_large(most)
                yield piece
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


_LATE = Phrase("the upstream did not answer in time")
_UNREACHABLE = Phrase("the upstream cannot be reached; is its address right, and does it run?")
_BROKEN = Phrase("the connection to the upstream broke before the answer was whole")
_ENCODING = Phrase("the upstream packed its answer in another way than gzip")


def too_large(most: int) -> Problem:
    """What is answered where an answer of the upstream has more bytes, or characters, than are read."""
    return Problem(502, "UPSTREAM_TOO_LARGE", Phrase("an answer has at most {most} bytes", most=most))


def broken() -> Problem:
    """What is answered where the upstream's answer just ends."""
    return Problem(502, "UPSTREAM_BROKEN", _BROKEN)


def _inflated(inflating: Any, packed: bytes) -> tuple[bytes, bytes]:  # noqa: ANN401 - zlib does not name its type
    """A step of what is packed, and what is left of it; behind its end nothing counts."""
    try:
        piece = inflating.decompress(packed, _STEP)
    except zlib.error:
        raise broken() from None
    return piece, b"" if inflating.eof else inflating.unconsumed_tail


def headers_to_send(headers: Iterable[tuple[bytes, bytes]], packed_as: bytes = b"") -> Headers:
    """The headers of a request as the upstream gets them, keys among them; none that is of one connection only.

    Args:
        headers: the client's.
        packed_as: how the answer may be packed that is read on the way; empty where it passes as it is.
    """
    kept = _end_to_end(headers, _NOT_SENT)
    if packed_as:
        kept = [header for header in kept if header[0] != b"accept-encoding"]
        kept.append((b"accept-encoding", packed_as))
    return kept


def headers_to_answer(response: httpx2.Response, *, is_read: bool) -> Headers:
    """The headers of an answer as the client gets them.

    Args:
        response: of the upstream.
        is_read: whether the body was unpacked, and its length may be another one.
    """
    gone = _NOT_ANSWERED | {b"content-length", b"content-encoding"} if is_read else _NOT_ANSWERED
    kept = _end_to_end(response.headers.raw, gone)
    return [header for header in kept if not (is_read and header[0].startswith(OURS))]


def _end_to_end(headers: Iterable[tuple[bytes, bytes]], gone: frozenset[bytes]) -> Headers:
    lowered = [(name.lower(), value) for name, value in headers]
    named = {part.strip().lower() for name, value in lowered if name == b"connection" for part in value.split(b",")}
    return [(name, value) for name, value in lowered if name not in gone and name not in named]
