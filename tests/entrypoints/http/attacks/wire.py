"""Raw connections: bytes out, and the answers that come back."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterable, Iterator
from typing import Any

from tests.entrypoints.http.attacks.serving import KEY

ATTACKER = "127.0.0.2"
"""Attackers come from another address of this machine than the normal client."""
_PIECE = 65_536


@contextlib.contextmanager
def connected(port: int, address: str = ATTACKER) -> Iterator[socket.socket]:
    """A connection, closed in the end."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(address, 0))
    try:
        yield connection
    finally:
        connection.close()


def request(method: str = "POST", path: str = "/v1/parse", /, body: bytes = b"", **headers: Any) -> bytes:  # noqa: ANN401 - str | None
    """A request with the key of the normal client; headers that are None are left out."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    sent = {
        "Host": "127.0.0.1",
        "Authorization": f"Bearer {KEY}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        **named,
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value is not None)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def parse_body(text: str = '{"a": 1}', **others: object) -> bytes:
    """The body that asks for a text by a schema that allows any object."""
    return json.dumps({"text": text, "schema": {"type": "object"}, **others}).encode()


def send_all(connection: socket.socket, pieces: Iterable[bytes]) -> int:
    """Send until the end or until the server has closed; the bytes that went out."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        for piece in pieces:
            connection.sendall(piece)
            sent += len(piece)
    return sent


def read_to_end(connection: socket.socket) -> bytes:
    """What comes until the server closes, also by a reset."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(_PIECE):
            parts.append(part)
    return b"".join(parts)


def read_answer(connection: socket.socket) -> bytes:
    """One whole answer, or what comes of it until the server closes."""
    answer = b""
    with contextlib.suppress(ConnectionError):
        while not _is_whole(answer) and (part := connection.recv(_PIECE)):
            answer += part
    return answer


def _is_whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found or head.startswith(b"HTTP/1.1 100"):
        return False
    lengths = [line.split(b":")[1] for line in head.lower().splitlines() if line.startswith(b"content-length:")]
    return len(body) >= int(lengths[0]) if lengths else body.endswith(b"0\r\n\r\n")


def asked(port: int, *pieces: bytes) -> bytes:
    """The answer to one request on a connection of its own."""
    with connected(port) as connection:
        send_all(connection, pieces)
        return read_answer(connection)


def status_of(answer: bytes) -> int:
    """The status of an answer; 0 where the connection was closed without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def seconds_until_closed(connections: Iterable[socket.socket], drip: bytes = b"") -> float:
    """How long it takes until the server has closed all of them, to which `drip` is sent again and again."""
    began = time.monotonic()
    left = list(connections)
    for connection in left:
        connection.settimeout(0.05)
    while left:
        left = [connection for connection in left if _is_open(connection, drip)]
        if time.monotonic() - began > 20:
            break
    return time.monotonic() - began


def _is_open(connection: socket.socket, drip: bytes) -> bool:
    try:
        connection.sendall(drip)
        return bool(connection.recv(_PIECE))
    except TimeoutError:
        return True
    except OSError:
        return False
