"""The guard that keeps the tests on this machine, as conftest.py switches it on for all of them."""

import _socket
import asyncio
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.loopback.guard import NetworkBlockedError, is_loopback

OUTSIDE = "192.0.2.1"
"""RFC 5737: an address for documentation, that nobody has."""


def connect(kind: socket.SocketKind, family: socket.AddressFamily, address: tuple[str, int]) -> None:
    with socket.socket(family, kind) as open_socket:
        open_socket.settimeout(5)
        open_socket.connect(address)


def send_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as open_socket:
        open_socket.sendto(b"x", (OUTSIDE, 9))


def send_message() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as open_socket:
        open_socket.sendmsg([b"x"], [], 0, (OUTSIDE, 9))


def connect_by_the_c_type() -> None:
    open_socket = _socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        open_socket.connect((OUTSIDE, 9))
    finally:
        open_socket.close()


def connect_ex() -> None:
    with socket.socket() as open_socket:
        open_socket.connect_ex((OUTSIDE, 9))


WAYS_OUT: dict[str, Callable[[], object]] = {
    "a connection": lambda: connect(socket.SOCK_STREAM, socket.AF_INET, (OUTSIDE, 9)),
    "a connection over IPv6": lambda: connect(socket.SOCK_STREAM, socket.AF_INET6, ("2001:db8::1", 9)),
    "a connection by return code": connect_ex,
    "a connection by the C type": connect_by_the_c_type,
    "a datagram": send_datagram,
    "a datagram in parts": send_message,
    "the default route, by connecting a datagram socket": lambda: connect(
        socket.SOCK_DGRAM, socket.AF_INET, (OUTSIDE, 9)
    ),
    "a look-up": lambda: socket.getaddrinfo("example.com", 443),
    "a look-up by bytes": lambda: socket.getaddrinfo(b"example.com", 443),
    "an old look-up": lambda: socket.gethostbyname("example.com"),
    "a reverse look-up": lambda: socket.gethostbyaddr(OUTSIDE),
    "a URL": lambda: urllib.request.urlopen("http://example.com"),
    "an event loop's connection": lambda: asyncio.run(open_connection("example.com")),
    "an event loop's connection to an address": lambda: asyncio.run(open_connection(OUTSIDE)),
}


async def open_connection(host: str) -> None:
    await asyncio.open_connection(host, 9)


@pytest.mark.parametrize("leave", WAYS_OUT.values(), ids=WAYS_OUT.keys())
def test_way_out_of_this_machine_is_blocked(leave: Callable[[], object]) -> None:
    with pytest.raises(NetworkBlockedError, match="loopback only"):
        leave()


@pytest.mark.parametrize(
    ("family", "address"),
    [(socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_INET, ("localhost", 0)), (socket.AF_INET6, ("::1", 0))],
)
def test_loopback_is_reached(family: socket.AddressFamily, address: tuple[str, int]) -> None:
    with socket.socket(family) as listening, socket.socket(family) as calling:
        try:
            listening.bind(address)
        except OSError:
            pytest.skip(f"this machine has no {address[0]}")
        listening.listen()
        calling.connect(listening.getsockname())

        assert calling.getpeername() == listening.getsockname()


def test_unix_socket_is_reached(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as calling:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        calling.connect(str(tmp_path / "s"))


@pytest.mark.parametrize(
    "host", [None, "", b"", "localhost", "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "::1%lo"]
)
def test_host_is_loopback(host: object) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["localhost.example.com", "127.0.0.1.example.com", "0.0.0.0", "10.0.0.1", "::", "::ffff:10.0.0.1", b"\xff"],  # noqa: S104 - nothing is bound
)
def test_host_is_not_loopback(host: object) -> None:
    assert not is_loopback(host)
