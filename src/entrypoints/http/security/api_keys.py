"""Who asks: the address of the client, whose key a request brings, and how often."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import b64decode
from binascii import Error as NotBase64
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil

from starlette.types import Scope

from src.entrypoints.http.problems import Problem, header_values
from src.shared.domain.language import Message, Phrase

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""What a load balancer asks: needs no key and is not limited."""
KEY_NAME = "key"
"""Where the state of a request has the name of its API key."""
_IPV6_PREFIX = 64


def client_of(scope: Scope) -> str:
    """Whom to count: the client's address, of an IPv6 address its network, since a client has all of those."""
    client = scope.get("client")
    return _counted(client[0]) if client else ""


@lru_cache(maxsize=1_024)
def _counted(host: str) -> str:
    address = address_of(host)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_PREFIX), strict=False))
    return host if address is None else str(address)


def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host name spells, None for a name; an IPv4 address inside an IPv6 one is that IPv4 address."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@lru_cache(maxsize=1_024)
def is_loopback(host: str) -> bool:
    """Whether an address of this machine is reached by this machine alone."""
    address = address_of(host)
    return host == "localhost" if address is None else address.is_loopback


MOST_NAMES = 10_000
"""Most clients or keys that are counted at once; then the one that asked longest ago is forgotten."""


class TokenBuckets:
    """A bucket for each name: `burst` tokens at once, and `rate` more a second.

    Ours, because the kept library for it (`limits`) counts windows, and its store in memory has no most of names.

    Attributes:
        burst: the tokens of a full bucket.
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
        self.burst = burst
        self._rate = rate
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """How many buckets are kept."""
        return len(self._buckets)

    def wait(self, name: str) -> float:
        """Seconds until there is a token; 0 where there is one."""
        return max(0.0, (1 - self._tokens(name, self._clock())) / self._rate)

    def take(self, name: str) -> float:
        """Take a token, if there is one.

        Returns:
            0, or the seconds until there is one.
        """
        now = self._clock()
        tokens = self._tokens(name, now)
        taken = tokens >= 1
        self._buckets[name] = (tokens - taken, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - tokens) / self._rate

    def _tokens(self, name: str, now: float) -> float:
        tokens, at = self._buckets.get(name, (self.burst, now))
        return min(self.burst, tokens + (now - at) * self._rate)


LEAST_BURST = 10
"""Requests at once that are always allowed: a browser asks for a page's files together."""
_TOO_FAST = Phrase("too many requests")


class RateLimit:
    """A check: a bucket that holds the requests of one second, at least ten, for each key or address."""

    def __init__(self, buckets: TokenBuckets) -> None:
        self._buckets = buckets

    @classmethod
    def of(cls, requests_per_second: float) -> RateLimit:
        """The limit of a service."""
        return cls(TokenBuckets(requests_per_second, max(LEAST_BURST, requests_per_second)))

    def __call__(self, scope: Scope) -> Problem | None:
        """429 where the bucket is empty."""
        if scope["path"] in OPEN_PATHS:
            return None
        key = scope.get("state", {}).get(KEY_NAME)
        wait = self._buckets.take(f"key {key}" if key else client_of(scope))
        return too_many(wait, _TOO_FAST, "TOO_MANY_REQUESTS") if wait else None


def too_many(wait: float, detail: Message, code: str) -> Problem:
    """Refuse for some seconds."""
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, code, detail, headers=(("Retry-After", str(ceil(wait))),))


WRONG_KEYS = 10
"""Wrong keys at once, and a minute, from one address; after them it is not listened to."""
_MOST_CHARACTERS = 1_024
_CHALLENGES = (
    ("WWW-Authenticate", 'Basic realm="llm-output", charset="UTF-8"'),
    ("WWW-Authenticate", 'Bearer realm="llm-output"'),
)
_NO_KEY = Problem(
    HTTPStatus.UNAUTHORIZED,
    "KEY_NEEDED",
    Phrase("an API key is needed: Authorization: Bearer KEY, or in a browser the key as the password"),
    headers=_CHALLENGES,
)
_WRONG_KEY = Problem(HTTPStatus.UNAUTHORIZED, "KEY_WRONG", Phrase("the API key is wrong"), headers=_CHALLENGES)
_TOO_MANY = Phrase("too many wrong API keys")
_LOOPBACK_ONLY = Problem(
    HTTPStatus.FORBIDDEN,
    "LOOPBACK_ONLY",
    Phrase("without API keys only this machine may ask"),
)


class ApiKeys:
    """A check: a kept key as a bearer token (RFC 6750) or as the password of any user (RFC 7617).

    The name of the key goes into the request's state.
    """

    def __init__(self, hashes: Mapping[str, str], wrong: TokenBuckets | None = None) -> None:
        """Know the keys.

        Args:
            hashes: by name the SHA-256 of each key, in hexadecimal; none for a service on loopback.
            wrong: how many wrong keys an address may try; None for `WRONG_KEYS`.
        """
        self._hashes = tuple((name, digest.encode()) for name, digest in hashes.items())
        self._wrong = wrong or TokenBuckets(WRONG_KEYS / 60, WRONG_KEYS)

    @classmethod
    def of(cls, kept: tuple[str, ...]) -> ApiKeys:
        """The keys of the settings: `NAME:sha256:HASH` each."""
        return cls({name: digest for name, _, digest in (key.split(":") for key in kept)})

    def __call__(self, scope: Scope) -> Problem | None:
        """401 without a kept key, 429 after too many wrong ones."""
        if scope["path"] in OPEN_PATHS:
            return None
        if not self._hashes:
            return _unless_loopback(scope)
        given = header_values(scope, b"authorization")
        if not given:
            return _NO_KEY
        client = client_of(scope)
        wait = self._wrong.wait(client)
        if wait:
            return too_many(wait, _TOO_MANY, "TOO_MANY_WRONG_KEYS")
        name = self._name_of(_key_in(given[0])) if len(given) == 1 else None
        if name is None:
            self._wrong.take(client)
            return _WRONG_KEY
        scope.setdefault("state", {})[KEY_NAME] = name
        return None

    def _name_of(self, key: bytes) -> str | None:
        """The name of a key; each kept hash is compared in constant time, and all of them in any case."""
        digest = hashlib.sha256(key).hexdigest().encode()
        found = [name for name, kept in self._hashes if hmac.compare_digest(digest, kept)]
        return found[0] if found else None


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


def _unless_loopback(scope: Scope) -> Problem | None:
    server = scope.get("server")
    return None if server is None or is_loopback(server[0]) else _LOOPBACK_ONLY
