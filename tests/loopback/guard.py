"""No test reaches a network: whatever leaves this machine is refused before a packet is sent or a name looked up.

An audit hook sees every way to a socket, also those that hold their own reference to a C function. It cannot be taken
away again, so it is switched.
"""

import ipaddress
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ADDRESSED = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_NAMED = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}


class NetworkBlockedError(RuntimeError):
    """A test tried to leave this machine. No OSError: nobody may take it for a provider that is down."""


class _Switch:
    installed = False
    depth = 0


@contextmanager
def only_loopback() -> Iterator[None]:
    """Refuse everything but loopback addresses and unix sockets."""
    if not _Switch.installed:
        sys.addaudithook(_refuse)
        _Switch.installed = True
    _Switch.depth += 1
    try:
        yield
    finally:
        _Switch.depth -= 1


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if not _Switch.depth or not event.startswith("socket."):
        return
    if event in _ADDRESSED:
        host = _host_of(arguments[1])
    elif event in _NAMED:
        host = arguments[0]
    else:
        return
    if not is_loopback(host):
        message = f"{event} to {host!r}: tests reach loopback only"
        raise NetworkBlockedError(message)


def _host_of(address: object) -> object:
    """None for a unix socket's path, and for a datagram on a socket that was connected before."""
    return address[0] if isinstance(address, tuple) else None


def is_loopback(host: object) -> bool:
    """Whether a host is this machine; None and an empty name stand for it."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else host
    if not name or name == "localhost":
        return True
    try:
        address = ipaddress.ip_address(str(name).partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
