"""The sockets that the service listens at: one for each worker, where the kernel shares connections out among them.

Of workers that share one socket, the one that wakes up first takes most connections of a burst, and keeps them.
"""

from __future__ import annotations

import socket
import sys

BACKLOG = 2_048
"""Connections that may wait to be accepted."""
LOOP = "auto" if sys.platform == "win32" else "src.entrypoints.http.accepting_loop:AcceptingLoop"
"""Uvicorn's setting `loop`."""
_SHARES = sys.platform == "linux"
"""Whether the kernel shares connections out among the sockets of one port."""


def listen(host: str, port: int, workers: int) -> list[socket.socket]:
    """Listen at an address.

    Args:
        host: a name or an address.
        port: 0 takes a free one.
        workers: how many processes will take connections.

    Raises:
        OSError: it is not possible, for example because another service listens there.
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    first = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    if workers == 1 or not _SHARES:
        return [first]
    place = first.getsockname()[:2]
    first.close()  # it has shown that nobody else is there: one that shares the port would join another service
    return [socket.create_server(place, family=family, backlog=BACKLOG, reuse_port=True) for _ in range(workers)]
