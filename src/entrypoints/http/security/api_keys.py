"""Whose key a request brings."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from http import HTTPStatus

from starlette.types import Scope

from src.entrypoints.http.security.rate_limit import too_many
from src.entrypoints.http.security.refusals import Refusal
from src.entrypoints.http.security.requests import KEY_NAME, OPEN_PATHS, client_of, header_values, is_loopback
from src.entrypoints.http.security.token_buckets import TokenBuckets
from src.shared.domain.language import Message

WRONG_KEYS = 10
"""Wrong keys at once, and a minute, from one address; after them it is not listened to."""
_MOST_CHARACTERS = 1_024
_CHALLENGES = (
    ("WWW-Authenticate", 'Basic realm="llm-output", charset="UTF-8"'),
    ("WWW-Authenticate", 'Bearer realm="llm-output"'),
)
_NO_KEY = Refusal(
    HTTPStatus.UNAUTHORIZED,
    "KEY_NEEDED",
    Message(
        "需要 API key：Authorization: Bearer KEY，或在浏览器中以 key 为密码",
        "an API key is needed: Authorization: Bearer KEY, or in a browser the key as the password",
    ),
    _CHALLENGES,
)
_WRONG_KEY = Refusal(HTTPStatus.UNAUTHORIZED, "KEY_WRONG", Message("API key 无效", "the API key is wrong"), _CHALLENGES)
_TOO_MANY = Message("错误的 API key 过多", "too many wrong API keys")
_LOOPBACK_ONLY = Refusal(
    HTTPStatus.FORBIDDEN,
    "LOOPBACK_ONLY",
    Message("未设置 API key，仅限本机访问", "without API keys only this machine may ask"),
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

    def __call__(self, scope: Scope) -> Refusal | None:
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


def _unless_loopback(scope: Scope) -> Refusal | None:
    server = scope.get("server")
    return None if server is None or is_loopback(server[0]) else _LOOPBACK_ONLY
