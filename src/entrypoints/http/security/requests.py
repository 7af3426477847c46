"""What a check reads of a request: headers, and the address of the client."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.types import Scope

from src.entrypoints.http.problems import Problem

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""What a load balancer asks: needs no key and is not limited."""
KEY_NAME = "key"
"""Where the state of a request has the name of its API key."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_IPV6_PREFIX = 64


def has_body(scope: Scope) -> bool:
    """Whether the request says that a body follows."""
    return any(
        key == b"transfer-encoding" or (key == b"content-length" and value != b"0") for key, value in scope["headers"]
    )


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


Check = Callable[[Scope], Problem | None]
"""Looks at a request before its body is read: a reason to refuse it, or None."""
