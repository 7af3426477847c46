"""A page of another site may not make a browser change anything here."""

from __future__ import annotations

from http import HTTPStatus

from starlette.types import Scope

from src.entrypoints.http.security.refusals import Refusal
from src.entrypoints.http.security.requests import SAFE_METHODS, header_values
from src.shared.domain.language import Message

_CROSS_SITE = Refusal(
    HTTPStatus.FORBIDDEN, "CROSS_SITE", Message("拒绝来自其他网站的请求", "a request from another site is refused")
)
_OWN_SITE = frozenset({b"same-origin", b"none"})
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}


def cross_site(scope: Scope) -> Refusal | None:
    """403 for a request that a browser says another site made; what is no browser says neither header."""
    if scope["method"] in SAFE_METHODS:
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
