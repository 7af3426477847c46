"""An ASGI app under uvicorn on loopback, in a thread of its own."""

import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import uvicorn

_DEADLINE = 5.0
_POLL = 0.005


class AsgiServer:
    """Serves an app as long as its block is open.

    Args:
        app: an ASGI 3 application.
        certificate: a PEM file with a key and a certificate, to be reached by https as `localhost`; None for http.
        has_lifespan: whether the app is told of the beginning and of the end.

    Attributes:
        root: the address of the server, without a path.
    """

    def __init__(
        self,
        app: Any,  # noqa: ANN401 - one of uvicorn's kinds
        certificate: Path | None = None,
        *,
        has_lifespan: bool = False,
    ) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else each answer waits 40 ms for an ACK
        address = "https://localhost" if certificate else "http://127.0.0.1"
        self.root = f"{address}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            interface="asgi3",
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="on" if has_lifespan else "off",
            log_config=None,
            proxy_headers=False,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=1,
            ssl_certfile=certificate,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def idle(self) -> bool:
        """Whether the clients have closed all connections, waiting a few seconds for it."""
        return self._soon(lambda: not self._server.server_state.connections)

    def rests(self) -> bool:
        """Whether the app answers nobody any more either, waiting a few seconds for it."""
        return self.idle() and self._soon(lambda: not self._server.server_state.tasks)

    def _soon(self, is_so: Callable[[], bool]) -> bool:
        end = time.monotonic() + _DEADLINE
        while not is_so() and time.monotonic() < end:
            time.sleep(_POLL)
        return is_so()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(_DEADLINE)
        self._socket.close()
