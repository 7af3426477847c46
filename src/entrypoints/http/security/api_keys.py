"""Who asks: the address of the client, whose key a request brings, and how often."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import b64decode
from binascii import Error as NotBase64
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_network
from math import ceil
from typing import TypeAlias

from starlette.types import Scope

from src.entrypoints.http.problems import Problem, header_values
from src.entrypoints.http.service_settings import address_of, is_loopback
from src.shared.domain.language import Message, Phrase

Check: TypeAlias = Callable[[Scope], Problem | None]
"""Looks at a request, and says why it is refused; None where it is not."""
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""What a load balancer asks: needs no key and is not limited."""
KEY_NAME = "key"
"""Where the state of a request has the name of its API key."""
_IPV6_PREFIX = 64


def client_of(scope: Scope) -> str:
    """Whom to count: the client's address, of an IPv6 address its network, since a client has all of those."""
    host = scope["client"][0] if scope.get("client") else ""
    address = address_of(host)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_PREFIX), strict=False))
    return host if address is None else str(address)


MOST_NAMES = 10_000
"""Most clients or keys that are counted at once; then the one that asked longest ago is forgotten."""


class TokenBuckets:
    """A bucket for each name: `burst` tokens at once, and `rate` more a second.

    Ours, because the kept library for it (`limits`) counts windows, and its store in memory has no most of names.
    """

    def __init__(
        self, rate: float, burst: float, *, most: int = MOST_NAMES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with full buckets.

        Args:
            rate: tokens a second that come back, above 0.
            burst: the tokens of a full bucket, at least 1.
            most: the most buckets that are kept.
            clock: seconds since any moment.
        """
        self._rate, self._burst, self._most, self._clock = rate, burst, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """Seconds until there is a token; 0 where there is one."""
        return max(0.0, 1 - self._tokens(name, self._clock())) / self._rate

    def take(self, name: str) -> float:
        """Take a token, if there is one.

        Returns:
            0, or the seconds until there is one.
        """
        now = self._clock()
        tokens = self._tokens(name, now)
        is_taken = tokens >= 1
        self._buckets[name] = (tokens - is_taken, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if is_taken else (1 - tokens) / self._rate

    def _tokens(self, name: str, now: float) -> float:
        tokens, at = self._buckets.get(name, (self._burst, now))
        return min(self._burst, tokens + (now - at) * self._rate)


LEAST_BURST = 10
"""Requests at once that are always allowed: a browser asks for a page's files together."""


def rate_check(requests_per_second: float) -> Check:
    """Refuse a key or an address (429) that asks more often; those of a second, at least ten, may come at once."""
    buckets = TokenBuckets(requests_per_second, max(LEAST_BURST, requests_per_second))

    def check(scope: Scope) -> Problem | None:
        if scope["path"] in OPEN_PATHS:
            return None
        key = scope.get("state", {}).get(KEY_NAME)
        wait = buckets.take(f"key {key}" if key else client_of(scope))
        return _too_many(wait, "TOO_MANY_REQUESTS", Phrase("too many requests")) if wait else None

    return check


def _too_many(wait: float, code: str, detail: Message) -> Problem:
    return Problem(429, code, detail, headers=(("Retry-After", str(ceil(wait))),))


WRONG_KEYS = 10
"""Wrong keys at once, and a minute, from one address; after them it is not listened to."""
_MOST_CHARACTERS = 1_024
_CHALLENGES = (
    ("WWW-Authenticate", 'Basic realm="llm-output", charset="UTF-8"'),
    ("WWW-Authenticate", 'Bearer realm="llm-output"'),
)
_HOW = Phrase("an API key is needed: Authorization: Bearer KEY, or in a browser the key as the password")
_NO_KEY = Problem(401, "KEY_NEEDED", _HOW, headers=_CHALLENGES)
_WRONG_KEY = Problem(401, "KEY_WRONG", Phrase("the API key is wrong"), headers=_CHALLENGES)
_LOOPBACK_ONLY = Problem(403, "LOOPBACK_ONLY", Phrase("without API keys only this machine may ask"))


def key_check(kept: tuple[str, ...]) -> Check:
    """Refuse what brings none of the keys (401), and an address that has tried too many wrong ones (429).

    A key comes as a bearer token (RFC 6750) or as the password of any user (RFC 7617); its name goes into the
    request's state. Each kept hash is compared in constant time, and all of them in any case.

    Args:
        kept: `NAME:sha256:HASH` of each key; with none of them this machine alone may ask (403).
    """
    hashes = [(name, digest.encode()) for name, _, digest in (key.split(":") for key in kept)]
    wrong = TokenBuckets(WRONG_KEYS / 60, WRONG_KEYS)

    def check(scope: Scope) -> Problem | None:
        if scope["path"] in OPEN_PATHS:
            return None
        if not hashes:
            server = scope.get("server")
            return None if server is None or is_loopback(server[0]) else _LOOPBACK_ONLY
        given = header_values(scope, b"authorization")
        if not given:
            return _NO_KEY
        client = client_of(scope)
        wait = wrong.wait(client)
        if wait:
            return _too_many(wait, "TOO_MANY_WRONG_KEYS", Phrase("too many wrong API keys"))
        key = _key_in(given[0]) if len(given) == 1 else b""
        digest = hashlib.sha256(key).hexdigest().encode()
        names = [name for name, kept_digest in hashes if hmac.compare_digest(digest, kept_digest)]
        if not names:
            wrong.take(client)
            return _WRONG_KEY
        scope.setdefault("state", {})[KEY_NAME] = names[0]
        return None

    return check


def _key_in(authorization: bytes) -> bytes:
    """The key that the header brings; empty where it brings none."""
    scheme, _, rest = authorization[:_MOST_CHARACTERS].partition(b" ")
    if scheme.lower() == b"bearer":
        return rest.strip()
    if scheme.lower() != b"basic":
        return b""
    try:
        return b64decode(rest.strip(), validate=True).partition(b":")[2]
    except NotBase64:
        return b""
