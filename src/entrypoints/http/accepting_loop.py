"""The loop of a worker: uvloop, which takes many connections a turn.

Uvloop's own way takes one a turn: at a worker that is busy, a new client waited for seconds.
"""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Callable
from typing import Any

from uvloop import Loop

MOST_A_TURN = 64
"""Connections that one turn of the loop takes."""
OTHER_SOCKET_POLL = 0.1
"""Seconds between two looks at the socket of another worker. Who waits there at both is taken over: that worker is
busy or dead."""
PAUSE = 1.0
"""Seconds without accepting after an error of the system, such as too many open files."""


class AcceptingLoop(Loop):
    """Takes the connections of the first listening socket at once, and those of all others that nobody else takes."""

    _has_own = False

    async def create_server(self, protocol_factory: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - asyncio's
        """Serve at a listening socket; anything else is done as ever."""
        listening = options.get("sock")
        if listening is None or options.get("ssl"):
            return await super().create_server(protocol_factory, *args, **options)
        accepting = Accepting(self, protocol_factory, listening, is_own=not self._has_own)
        self._has_own = True
        return accepting


class Accepting:
    """Takes the connections of one socket until it is closed; it has what uvicorn asks of a server."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        listening: socket.socket,
        *,
        is_own: bool,
    ) -> None:
        """Begin.

        Args:
            loop: that of this thread.
            protocol_factory: makes what reads a connection.
            listening: the socket.
            is_own: whether no other worker looks at it first.
        """
        self.sockets = [listening]
        self._loop, self._protocol, self._listening, self._is_own = loop, protocol_factory, listening, is_own
        self._timer: asyncio.TimerHandle | None = None
        self._connecting: set[asyncio.Task[None]] = set()
        listening.settimeout(0)
        self._poll, self._has_waiting = select.poll(), False
        self._poll.register(listening, select.POLLIN)
        self._wait()

    def close(self) -> None:
        """Take no more."""
        self._loop.remove_reader(self._listening)
        if self._timer:
            self._timer.cancel()

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""

    def _wait(self) -> None:
        if self._is_own:
            self._loop.add_reader(self._listening, self._accept)
        else:
            self._timer = self._loop.call_later(OTHER_SOCKET_POLL, self._poll_other)

    def _poll_other(self) -> None:
        had_waiting, self._has_waiting = self._has_waiting, bool(self._poll.poll(0))
        if not (had_waiting and self._has_waiting) or self._accept():
            self._wait()

    def _accept(self) -> bool:
        """Take those that wait; False after an error, when it is tried again later."""
        for _ in range(MOST_A_TURN):
            try:
                connection, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return True
            except OSError:
                self.close()
                self._timer = self._loop.call_later(PAUSE, self._wait)
                return False
            task = self._loop.create_task(self._connect(connection))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)
        return True

    async def _connect(self, connection: socket.socket) -> None:
        connection.settimeout(0)
        try:
            await self._loop.connect_accepted_socket(self._protocol, connection)
        except OSError:  # it is gone already
            connection.close()
