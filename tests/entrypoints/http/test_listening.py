"""The sockets of the service, and how connections are taken from them."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from src.entrypoints.http.server import listen
from src.entrypoints.http.service_settings import ServiceSettingsError

if sys.platform == "win32":
    pytest.skip("the loop is uvloop, which Windows does not have", allow_module_level=True)

from src.entrypoints.http import accepting_loop
from src.entrypoints.http.accepting_loop import MOST_A_TURN, AcceptingLoop

MANY = 3 * MOST_A_TURN


@contextmanager
def closed(sockets: list[socket.socket]) -> Iterator[list[socket.socket]]:
    """The sockets, closed in the end."""
    try:
        yield sockets
    finally:
        for one in sockets:
            one.close()


def listening(workers: int) -> Any:  # noqa: ANN401 - a context
    return closed(listen("127.0.0.1", 0, workers))


def clients(at: tuple[str, int], count: int) -> Any:  # noqa: ANN401 - as above
    return closed([socket.create_connection(at) for _ in range(count)])


class Taken(asyncio.Protocol):
    """Keeps connections."""

    kept: list[asyncio.BaseTransport] = []  # noqa: RUF012 - of each test its own

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.kept.append(transport)


@pytest.fixture(autouse=True)
def _from_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Taken, "kept", [])
    monkeypatch.setattr(accepting_loop, "OTHER_SOCKET_POLL", 0.01)
    monkeypatch.setattr(accepting_loop, "PAUSE", 0.01)


def serve(sockets: list[Any], count: int, then: Callable[[], None] | None = None, **at: object) -> int:
    """Serve until so many connections were taken; in how many turns of the loop that was."""

    async def main() -> int:
        loop, turns = asyncio.get_running_loop(), 0
        servers = [await loop.create_server(Taken, **each) for each in ([{"sock": one} for one in sockets] or [at])]
        if at:
            await loop.create_connection(asyncio.Protocol, **at)  # type: ignore[call-overload]  # an address
        while len(Taken.kept) < count:
            await asyncio.sleep(0)
            turns += 1
        for server in servers:
            server.close()
        await servers[0].wait_closed()
        if then:
            then()
            await asyncio.sleep(0.1)
        for transport in Taken.kept:
            transport.close()
        return turns

    with asyncio.Runner(loop_factory=AcceptingLoop) as runner:
        return runner.run(asyncio.wait_for(main(), 20))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers share one socket")
@pytest.mark.parametrize("workers", [1, 3])
def test_each_worker_has_a_socket_of_the_same_port(workers: int) -> None:
    with listening(workers) as sockets:
        assert (len(sockets), len({one.getsockname() for one in sockets})) == (workers, 1)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("others", [1, 2])
def test_a_port_where_another_service_listens_is_taken(others: int, workers: int) -> None:
    with listening(others) as sockets, pytest.raises(ServiceSettingsError, match="in use"):
        listen("127.0.0.1", sockets[0].getsockname()[1], workers)


def test_connections_that_wait_are_taken_many_a_turn() -> None:
    with listening(1) as sockets, clients(sockets[0].getsockname(), MANY):
        assert serve(sockets, MANY) < MANY / 4


def test_connections_that_wait_at_another_socket_are_taken_too() -> None:
    with listening(2) as sockets, clients(sockets[0].getsockname(), MANY):
        serve(sockets, MANY)
        assert len(Taken.kept) == MANY


def test_a_closed_server_takes_no_more() -> None:
    asking: list[socket.socket] = []
    with listening(2) as sockets, closed(asking):
        serve(sockets, 0, lambda: asking.extend(socket.create_connection(sockets[0].getsockname()) for _ in range(4)))
    assert (len(asking), Taken.kept) == (4, [])


def test_after_an_error_of_the_system_it_is_tried_again() -> None:
    class Failing:
        """A socket at which the first three connections cannot be taken."""

        failures = 3

        def __init__(self, inside: socket.socket) -> None:
            self._inside = inside

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of the socket
            return getattr(self._inside, name)

        def accept(self) -> Any:  # noqa: ANN401 - as above
            if self.failures:
                self.failures -= 1
                raise OSError(errno.EMFILE, "too many open files")
            return self._inside.accept()

    with listening(2) as sockets, clients(sockets[0].getsockname(), MANY):
        failing = [Failing(one) for one in sockets]
        serve(failing, MANY)
    assert {one.failures for one in failing} == {0}


def test_a_client_that_has_gone_already_disturbs_nobody() -> None:
    with listening(1) as sockets:
        with closing(socket.create_connection(sockets[0].getsockname())) as gone:
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # it is reset, not closed
        with clients(sockets[0].getsockname(), 1):
            serve(sockets, 1)


def test_any_other_server_is_made_as_ever() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    serve([], 1, host="127.0.0.1", port=port)
    assert len(Taken.kept) == 1
