"""The guards of a request in their one order: its host, its site, its key, its rate, its body; and what answers say."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import b64decode
from binascii import Error as NotBase64
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from ipaddress import IPv6Address, ip_network
from math import ceil
from typing import Any, TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from src.entrypoints.http.connections import bounded_bodies
from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.entrypoints.http.service_settings import ServiceSettings, address_of, is_loopback
from src.shared.domain.language import Message, Phrase

Check: TypeAlias = Callable[[Scope], Problem | None]
"""Looks at a request, and says why it is refused; None where it is not."""
STREAMED = ("/v1/parse-batch",)
"""The paths whose route bounds the body itself, by line and by count."""


def guarded(
    app: ASGIApp,
    settings: ServiceSettings,
    *,
    key: Check | None = None,
    respond: Callable[[Problem], ASGIApp] = problem_response,
) -> Any:  # noqa: ANN401 - an application, as uvicorn and starlette type it
    """The application behind all guards; whom a trusted proxy names is the client, and what is not HTTP is the app's.

    Args:
        app: answers what no guard refuses, and problems that are raised while it reads a body.
        settings: of the service.
        key: looks at the key of a request; by default one of the settings' has to come in `Authorization`.
        respond: makes the answer of who is refused.
    """
    checks = [host_check([settings.host, *settings.hosts]), cross_site, key or key_check(settings.api_keys)]
    if settings.requests_per_second:
        checks.append(rate_check(settings.requests_per_second))
    bodies = bounded_bodies(
        app, most=settings.max_body, seconds=settings.body_timeout, streamed=STREAMED, respond=respond
    )

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        problem = next(filter(None, (check(scope) for check in checks)), None)
        await (respond(problem) if problem else bodies)(scope, receive, send)

    proxies = list(settings.trusted_proxies)
    return ProxyHeadersMiddleware(guard, proxies) if proxies else guard  # type: ignore[arg-type]  # uvicorn's own types


# --- the host and the site ----------------------------------------------------------------------------------

_MALFORMED = Problem(400, "BAD_HOST", Phrase("exactly one Host header is needed"))
_OTHER_HOST = Phrase("the service is not known by this Host; OUTPUT_HOSTS says by which names it is")
_UNKNOWN = Problem(421, "UNKNOWN_HOST", _OTHER_HOST)
_LONGEST_HOST = 255


def host_check(names: Collection[str]) -> Check:
    """Refuse a `Host` (RFC 9110, 7.2) that is missing (400) or another's (421).

    The service's own are the address reached, `localhost` on loopback, and its names.

    Args:
        names: without a port; empty ones do not count.
    """
    known = frozenset(name.strip("[]").lower() for name in names if name)

    def check(scope: Scope) -> Problem | None:
        hosts = header_values(scope, b"host")
        if len(hosts) != 1 or not 0 < len(hosts[0]) <= _LONGEST_HOST:
            return _MALFORMED
        name, reached = _name_in(hosts[0].decode("latin-1")), (scope.get("server") or ("",))[0]
        if name in known or (name == "localhost" and is_loopback(reached)):
            return None
        address = address_of(name)
        return None if address is not None and address == address_of(reached) else _UNKNOWN

    return check


def _name_in(host: str) -> str:
    """The name or address in a `Host` header, without its port, in lower case; empty where it is malformed."""
    name, bracket, port = host.rpartition("]") if host.startswith("[") else host.partition(":")
    if bracket == "]":
        name, port = name[1:], port.removeprefix(":")
    return name.lower() if not port or port.isdecimal() else ""


_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_CROSS_SITE = Problem(403, "CROSS_SITE", Phrase("a request from another site is refused"))
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}


def cross_site(scope: Scope) -> Problem | None:
    """403 for a request that a browser says another site made; what is no browser says neither header."""
    if scope["method"] in _SAFE_METHODS:
        return None
    host = b"".join(header_values(scope, b"host")).lower()
    is_own = all(site in {b"same-origin", b"none"} for site in header_values(scope, b"sec-fetch-site"))
    is_own &= all(_is_origin_of(origin.lower(), host) for origin in header_values(scope, b"origin"))
    return None if is_own else _CROSS_SITE


def _is_origin_of(origin: bytes, host: bytes) -> bool:
    """Whether an origin has this host; either may leave out the default port."""
    scheme, found, named = origin.partition(b"://")
    port = _DEFAULT_PORTS.get(scheme, b"")
    return bool(found) and named.removesuffix(port) == host.removesuffix(port)


# --- the key and the rate -----------------------------------------------------------------------------------

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""What a load balancer asks: needs no key and is not limited."""
AUTHORIZATION = b"authorization"
KEY_NAME = "key"
"""Where the state of a request has the name of its API key."""
MOST_NAMES = 10_000
"""Most clients or keys that are counted at once; then the one that asked longest ago is forgotten."""
LEAST_BURST = 10
"""Requests at once that are always allowed: a browser asks for a page's files together."""
WRONG_KEYS = 10
"""Wrong keys at once, and a minute, from one address; after them it is not listened to."""
_IPV6_PREFIX = 64
_LONGEST_KEY = 1_024
_CHALLENGES = (
    ("WWW-Authenticate", 'Basic realm="llm-output", charset="UTF-8"'),
    ("WWW-Authenticate", 'Bearer realm="llm-output"'),
)
_HOW = Phrase("an API key is needed: Authorization: Bearer KEY, or in a browser the key as the password")
_LOOPBACK_ONLY = Problem(403, "LOOPBACK_ONLY", Phrase("without API keys only this machine may ask"))


def client_of(scope: Scope) -> str:
    """Whom to count: the client's address, of an IPv6 address its network, since a client has all of those."""
    host = scope["client"][0] if scope.get("client") else ""
    address = address_of(host)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_PREFIX), strict=False))
    return host if address is None else str(address)


class TokenBuckets:
    """A bucket for each name: `burst` tokens at once, and `rate` more a second; at most `most` buckets are kept.

    Ours, because the kept library for it (`limits`) counts windows, and its store in memory has no most of names.
    """

    def __init__(
        self, rate: float, burst: float, *, most: int = MOST_NAMES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with full buckets; the rate is above 0, the burst at least 1, and the clock tells seconds."""
        self._rate, self._burst, self._most, self._clock = rate, burst, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str, take: int = 0) -> float:
        """Seconds until there is a token; 0 where there is one, and then so many are taken."""
        now = self._clock()
        tokens, at = self._buckets.get(name, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        if take:
            self._buckets[name] = (tokens - take if tokens >= 1 else tokens, now)
            self._buckets.move_to_end(name)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        return max(0.0, 1 - tokens) / self._rate


def rate_check(requests_per_second: float) -> Check:
    """Refuse a key or an address (429) that asks more often; those of a second, at least ten, may come at once."""
    buckets = TokenBuckets(requests_per_second, max(LEAST_BURST, requests_per_second))

    def check(scope: Scope) -> Problem | None:
        if scope["path"] in OPEN_PATHS:
            return None
        key = scope.get("state", {}).get(KEY_NAME)
        wait = buckets.wait(f"key {key}" if key else client_of(scope), take=1)
        return _too_many(wait, "TOO_MANY_REQUESTS", Phrase("too many requests")) if wait else None

    return check


def _too_many(wait: float, code: str, detail: Message) -> Problem:
    return Problem(429, code, detail, headers=(("Retry-After", str(ceil(wait))),))


def key_check(kept: tuple[str, ...], header: bytes = AUTHORIZATION) -> Check:
    """Refuse what brings none of the keys (401), and an address that has tried too many wrong ones (429).

    A key comes as a bearer token (RFC 6750) or as the password of any user (RFC 7617), in another header as it is; its
    name goes into the request's state. Each kept hash is compared in constant time, and all of them in any case.

    Args:
        kept: `NAME:sha256:HASH` of each key; with none of them this machine alone may ask (403).
        header: in which the key comes.
    """
    is_usual = header == AUTHORIZATION
    how = _HOW if is_usual else Phrase("an API key is needed in {header}", header=header.decode())
    challenges = _CHALLENGES if is_usual else ()
    no_key = Problem(401, "KEY_NEEDED", how, headers=challenges)
    wrong_key = Problem(401, "KEY_WRONG", Phrase("the API key is wrong"), headers=challenges)
    hashes = [(name, digest.encode()) for name, _, digest in (key.split(":") for key in kept)]
    wrong = TokenBuckets(WRONG_KEYS / 60, WRONG_KEYS)

    def check(scope: Scope) -> Problem | None:
        if scope["path"] in OPEN_PATHS:
            return None
        if not hashes:
            server = scope.get("server")
            return None if server is None or is_loopback(server[0]) else _LOOPBACK_ONLY
        given = header_values(scope, header)
        if not given:
            return no_key
        client = client_of(scope)
        if wait := wrong.wait(client):
            return _too_many(wait, "TOO_MANY_WRONG_KEYS", Phrase("too many wrong API keys"))
        key = _key_in(given[0]) if is_usual else given[0][:_LONGEST_KEY]
        digest = hashlib.sha256(key if len(given) == 1 else b"").hexdigest().encode()
        names = [name for name, kept_digest in hashes if hmac.compare_digest(digest, kept_digest)]
        if not names:
            wrong.wait(client, take=1)
            return wrong_key
        scope.setdefault("state", {})[KEY_NAME] = names[0]
        return None

    return check


def _key_in(authorization: bytes) -> bytes:
    """The key that the header brings; empty where it brings none."""
    scheme, _, rest = authorization[:_LONGEST_KEY].partition(b" ")
    if scheme.lower() == b"bearer":
        return rest.strip()
    try:
        return b64decode(rest.strip(), validate=True).partition(b":")[2] if scheme.lower() == b"basic" else b""
    except NotBase64:
        return b""


# --- the headers of answers ---------------------------------------------------------------------------------

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
"""Of every answer, refusals too."""
_OURS = frozenset(name for name, _ in HEADERS)


def secured(path: str, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, with `HEADERS` in place of those that it gives itself."""
    others = [header for header in headers if header[0].lower() not in _OURS]
    if not path.startswith(STATIC) and not any(name.lower() == b"cache-control" for name, _ in others):
        others.append((b"cache-control", b"no-store"))
    return [*others, *HEADERS]
