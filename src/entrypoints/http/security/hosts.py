"""By which names the service may be asked for, so that a page elsewhere cannot rebind its own name to us."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from http import HTTPStatus

from starlette.types import Scope

from src.entrypoints.http.security.refusals import Refusal
from src.entrypoints.http.security.requests import address_of, header_values, is_loopback
from src.shared.domain.language import Message

_MALFORMED = Refusal(
    HTTPStatus.BAD_REQUEST, "BAD_HOST", Message("需要恰好一个 Host 头", "exactly one Host header is needed")
)
_UNKNOWN = Refusal(
    HTTPStatus.MISDIRECTED_REQUEST,
    "UNKNOWN_HOST",
    Message(
        "本服务不以此 Host 名提供；可用的名称在 OUTPUT_HOSTS 中设置",
        "the service is not known by this Host; OUTPUT_HOSTS says by which names it is",
    ),
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

    def __call__(self, scope: Scope) -> Refusal | None:
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
