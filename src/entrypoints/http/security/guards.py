"""All guards in their one order; what a browser is allowed: hosts, the pages it may come from, what answers tell it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.entrypoints.http.security.api_keys import ApiKeys, RateLimit, address_of, is_loopback
from src.entrypoints.http.security.bodies import Bodies
from src.entrypoints.http.service_settings import ServiceSettings
from src.shared.domain.language import Phrase

_MALFORMED = Problem(HTTPStatus.BAD_REQUEST, "BAD_HOST", Phrase("exactly one Host header is needed"))
_UNKNOWN = Problem(
    HTTPStatus.MISDIRECTED_REQUEST,
    "UNKNOWN_HOST",
    Phrase("the service is not known by this Host; OUTPUT_HOSTS says by which names it is"),
)
_MOST_CHARACTERS = 255


class Hosts:
    """A check of the `Host` header (RFC 9110, 7.2): the address reached, `localhost` on loopback, or a name of ours."""

    def __init__(self, names: Collection[str]) -> None:
        """Know the service's names.

        Args:
            names: without a port; empty ones are none.
        """
        self._names = frozenset(name.strip("[]").lower() for name in names if name)
        self._is_ours = lru_cache(maxsize=1_024)(self._compare)

    def __call__(self, scope: Scope) -> Problem | None:
        """400 without a host, 421 for another's."""
        hosts = header_values(scope, b"host")
        if len(hosts) != 1 or not 0 < len(hosts[0]) <= _MOST_CHARACTERS:
            return _MALFORMED
        server = scope.get("server")
        return None if self._is_ours(hosts[0], server[0] if server else "") else _UNKNOWN

    def _compare(self, host: bytes, reached: str) -> bool:
        name = name_of(host.decode("latin-1"))
        if name in self._names or (name == "localhost" and is_loopback(reached)):
            return True
        address = address_of(name)
        return address is not None and address == address_of(reached)


def name_of(host: str) -> str:
    """The name or address in a `Host` header, without its port, in lower case; empty where it is malformed."""
    name, bracket, port = host.rpartition("]") if host.startswith("[") else host.partition(":")
    if bracket == "]":
        name, port = name[1:], port.removeprefix(":")
    return name.lower() if not port or port.isdecimal() else ""


_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_CROSS_SITE = Problem(HTTPStatus.FORBIDDEN, "CROSS_SITE", Phrase("a request from another site is refused"))
_OWN_SITE = frozenset({b"same-origin", b"none"})
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}


def cross_site(scope: Scope) -> Problem | None:
    """403 for a request that a browser says another site made; what is no browser says neither header."""
    if scope["method"] in _SAFE_METHODS:
        return None
    if any(value not in _OWN_SITE for value in header_values(scope, b"sec-fetch-site")):
        return _CROSS_SITE
    origins = header_values(scope, b"origin")
    if not origins:
        return None
    hosts = {host.lower() for host in header_values(scope, b"host")}
    return None if all(_spellings(origin.lower()) & hosts for origin in origins) else _CROSS_SITE


def _spellings(origin: bytes) -> set[bytes]:
    """How the Host header may write the host of an origin: the default port may be left out."""
    scheme, found, host = origin.partition(b"://")
    if not found:
        return set()
    default = _DEFAULT_PORTS.get(scheme, b"")
    return {host, host.removesuffix(default) if default and host.endswith(default) else host + default}


STATIC = "/static/"
"""Where files are that never change under their name; whatever else is not stored."""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_OURS = frozenset(name for name, _ in HEADERS)
_NO_STORE = (b"cache-control", b"no-store")


class ResponseHeaders:
    """Puts the headers on every answer, refusals too, in place of those that the application gives."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_static = scope["path"].startswith(STATIC)

        async def with_headers(message: Event) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _headers(message.get("headers", ()), may_be_stored=is_static)
            await send(message)

        await self._app(scope, receive, with_headers)


def _headers(given: list[tuple[bytes, bytes]], *, may_be_stored: bool) -> list[tuple[bytes, bytes]]:
    headers = [header for header in given if header[0].lower() not in _OURS]
    headers += HEADERS
    if not may_be_stored and not any(name.lower() == b"cache-control" for name, _ in headers):
        headers.append(_NO_STORE)
    return headers


STREAMED = ("/v1/parse-batch",)
"""The paths whose route bounds the body itself, by line and by count."""


def guarded(app: ASGIApp, settings: ServiceSettings) -> ASGIApp:
    """The application behind all guards.

    From the outside in: who the client is, the headers of every answer, the host, other sites, the key, the rate,
    the body.

    Args:
        app: it answers `http` and `lifespan`; a websocket is refused before it.
        settings: of the service.
    """
    hosts = Hosts([settings.host, *settings.hosts])
    checks: list[Callable[[Scope], Problem | None]] = [hosts, cross_site, ApiKeys.of(settings.api_keys)]
    if settings.requests_per_second:
        checks.append(RateLimit.of(settings.requests_per_second))
    bodies = Bodies(app, most=settings.max_body, seconds=settings.body_timeout, streamed=STREAMED)

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        problem = next(filter(None, (check(scope) for check in checks)), None)
        await (problem_response(problem) if problem else bodies)(scope, receive, send)

    inside: Any = ResponseHeaders(checked)
    if settings.trusted_proxies:
        inside = ProxyHeadersMiddleware(inside, list(settings.trusted_proxies))

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await inside(scope, receive, send)
        elif scope["type"] == "lifespan":
            await app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    return guard
