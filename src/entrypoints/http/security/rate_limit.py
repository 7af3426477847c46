"""How often one key, or one address without a key, may ask."""

from __future__ import annotations

from http import HTTPStatus
from math import ceil

from starlette.types import Scope

from src.entrypoints.http.security.refusals import Refusal
from src.entrypoints.http.security.requests import KEY_NAME, OPEN_PATHS, client_of
from src.entrypoints.http.security.token_buckets import TokenBuckets
from src.shared.domain.language import Message

LEAST_BURST = 10
"""Requests at once that are always allowed: a browser asks for a page's files together."""
_TOO_MANY = Message("请求过于频繁", "too many requests")


class RateLimit:
    """A check: a bucket that holds the requests of one second, at least ten, for each key or address."""

    def __init__(self, buckets: TokenBuckets) -> None:
        self._buckets = buckets

    @classmethod
    def of(cls, requests_per_second: float) -> RateLimit:
        """The limit of a service."""
        return cls(TokenBuckets(requests_per_second, max(LEAST_BURST, requests_per_second)))

    def __call__(self, scope: Scope) -> Refusal | None:
        """429 where the bucket is empty."""
        if scope["path"] in OPEN_PATHS:
            return None
        key = scope.get("state", {}).get(KEY_NAME)
        wait = self._buckets.take(f"key {key}" if key else client_of(scope))
        return too_many(wait, _TOO_MANY, "TOO_MANY_REQUESTS") if wait else None


def too_many(wait: float, detail: Message, code: str) -> Refusal:
    """Refuse for some seconds."""
    return Refusal(HTTPStatus.TOO_MANY_REQUESTS, code, detail, (("Retry-After", str(ceil(wait))),))
