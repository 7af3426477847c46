"""All guards in their one order; what a browser is allowed: hosts, the pages it may come from, what answers tell it."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.entrypoints.http.security.api_keys import Check, key_check, rate_check
from src.entrypoints.http.security.bodies import bounded_bodies
from src.entrypoints.http.service_settings import ServiceSettings, address_of, is_loopback
from src.shared.domain.language import Phrase

_MALFORMED = Problem(400, "BAD_HOST", Phrase("exactly one Host header is needed"))
_OTHER_HOST = Phrase("the service is not known by this Host; OUTPUT_HOSTS says by which names it is")
_UNKNOWN = Problem(421, "UNKNOWN_HOST", _OTHER_HOST)
_MOST_CHARACTERS = 255


def host_check(names: Collection[str]) -> Check:
    """Refuse a `Host` (RFC 9110, 7.2) that is missing (400) or another's (421).

    The service's own are the address reached, `localhost` on loopback, and its names.

    Args:
        names: without a port; empty ones do not count.
    """
    known = frozenset(name.strip("[]").lower() for name in names if name)

    @lru_cache(maxsize=1_024)
    def is_ours(host: bytes, reached: str) -> bool:
        name = name_of(host.decode("latin-1"))
        if name in known or (name == "localhost" and is_loopback(reached)):
            return True
        address = address_of(name)
        return address is not None and address == address_of(reached)

    def check(scope: Scope) -> Problem | None:
        hosts = header_values(scope, b"host")
        if len(hosts) != 1 or not 0 < len(hosts[0]) <= _MOST_CHARACTERS:
            return _MALFORMED
        server = scope.get("server")
        return None if is_ours(hosts[0], server[0] if server else "") else _UNKNOWN

    return check


def name_of(host: str) -> str:
    """The name or address in a `Host` header, without its port, in lower case; empty where it is malformed."""
    name, bracket, port = host.rpartition("]") if host.startswith("[") else host.partition(":")
    if bracket == "]":
        name, port = name[1:], port.removeprefix(":")
    return name.lower() if not port or port.isdecimal() else ""


_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_CROSS_SITE = Problem(403, "CROSS_SITE", Phrase("a request from another site is refused"))
_OWN_SITE = frozenset({b"same-origin", b"none"})
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}


def cross_site(scope: Scope) -> Problem | None:
    """403 for a request that a browser says another site made; what is no browser says neither header."""
    if scope["method"] in _SAFE_METHODS:
        return None
    hosts = {host.lower() for host in header_values(scope, b"host")}
    is_own = all(site in _OWN_SITE for site in header_values(scope, b"sec-fetch-site"))
    is_own &= all(_spellings(origin.lower()) & hosts for origin in header_values(scope, b"origin"))
    return None if is_own else _CROSS_SITE


def _spellings(origin: bytes) -> set[bytes]:
    """How the Host header may write the host of an origin: the default port may be left out."""
    scheme, found, host = origin.partition(b"://")
    default = _DEFAULT_PORTS.get(scheme, b"")
    return {host, host.removesuffix(default), host.removesuffix(default) + default} if found else set()


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


def with_headers(app: ASGIApp) -> ASGIApp:
    """An application with the headers on every answer, refusals too, in place of those that it gives itself."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [header for header in message.get("headers", ()) if header[0].lower() not in _OURS]
                names = {name.lower() for name, _ in headers}
                if b"cache-control" not in names and not scope["path"].startswith(STATIC):
                    headers.append((b"cache-control", b"no-store"))
                message["headers"] = [*headers, *HEADERS]
            await send(message)

        await app(scope, receive, send_on)

    return answer


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
    checks = [host_check([settings.host, *settings.hosts]), cross_site, key_check(settings.api_keys)]
    if settings.requests_per_second:
        checks.append(rate_check(settings.requests_per_second))
    bodies = bounded_bodies(app, most=settings.max_body, seconds=settings.body_timeout, streamed=STREAMED)

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        problem = next(filter(None, (check(scope) for check in checks)), None)
        await (problem_response(problem) if problem else bodies)(scope, receive, send)

    inside: Any = with_headers(checked)
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
