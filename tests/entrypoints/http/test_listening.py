"""The sockets of the service, and how connections are taken from them."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, ClassVar

import pytest

from src.entrypoints.http.server import listen
from src.entrypoints.http.service_settings import ServiceSettingsError

if sys.platform == "win32":
    pytest.skip("the loop is uvloop, which Windows does not have", allow_module_level=True)

from src.entrypoints.http import accepting_loop
from src.entrypoints.http.accepting_loop import MOST_A_TURN, AcceptingLoop

MANY = 3 * MOST_A_TURN


@contextmanager
def listening(workers: int) -> Iterator[list[socket.socket]]:
    sockets = listen("127.0.0.1", 0, workers)
    try:
        yield sockets
    finally:
        for one in sockets:
            one.close()


@contextmanager
def clients(at: tuple[str, int], count: int) -> Iterator[list[socket.socket]]:
    asking = [socket.create_connection(at) for _ in range(count)]
    try:
        yield asking
    finally:
        for one in asking:
            one.close()


def run(main: Callable[[], Any]) -> Any:  # noqa: ANN401 - what it returns
    async def whole() -> Any:  # noqa: ANN401 - as above
        try:
            return await main()
        finally:
            for transport in Taken.kept:
                transport.close()

    with asyncio.Runner(loop_factory=AcceptingLoop) as runner:
        return runner.run(whole())


class Taken(asyncio.Protocol):
    """Keeps connections."""

    kept: ClassVar[list[asyncio.BaseTransport]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.kept.append(transport)


def taken() -> int:
    """Connections so far."""
    return len(Taken.kept)


@pytest.fixture(autouse=True)
def _from_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Taken, "kept", [])
    monkeypatch.setattr(accepting_loop, "OTHER_SOCKET_POLL", 0.01)
    monkeypatch.setattr(accepting_loop, "PAUSE", 0.01)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - nobody tells when a connection is taken
            await asyncio.sleep(0.001)


def test_one_worker_has_one_socket() -> None:
    with listening(1) as sockets:
        assert len(sockets) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers share one socket")
def test_each_of_several_workers_has_a_socket_of_the_same_port() -> None:
    with listening(3) as sockets:
        assert len({one.getsockname() for one in sockets}) == 1
        assert len(sockets) == 3


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("others", [1, 2])
def test_a_port_where_another_service_listens_is_taken(others: int, workers: int) -> None:
    with listening(others) as sockets, pytest.raises(ServiceSettingsError, match="in use"):
        listen("127.0.0.1", sockets[0].getsockname()[1], workers)


def test_connections_that_wait_are_taken_many_a_turn() -> None:
    async def turns() -> int:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Taken, sock=sockets[0])
        turns = 0
        while taken() < MANY:
            await asyncio.sleep(0)
            turns += 1
        server.close()
        await server.wait_closed()
        return turns

    with listening(1) as sockets, clients(sockets[0].getsockname(), MANY):
        assert run(turns) < MANY / 4


async def take_all(sockets: list[Any], count: int) -> None:
    """Serve at sockets until so many connections were taken."""
    servers = [await asyncio.get_running_loop().create_server(Taken, sock=one) for one in sockets]
    await until(lambda: taken() >= count)
    for server in servers:
        server.close()


def test_connections_that_wait_at_another_socket_are_taken_too() -> None:
    with listening(2) as sockets, clients(sockets[0].getsockname(), MANY):
        run(partial(take_all, sockets, MANY))
    assert taken() == MANY


def test_a_closed_server_takes_no_more() -> None:
    async def serve() -> None:
        await take_all(sockets, 0)
        with clients(sockets[0].getsockname(), 4):
            await asyncio.sleep(0.1)

    with listening(2) as sockets:
        run(serve)
    assert taken() == 0


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
        failing: list[Any] = [Failing(one) for one in sockets]
        run(partial(take_all, failing, MANY))
    assert {one.failures for one in failing} == {0}


def test_a_client_that_has_gone_already_disturbs_nobody() -> None:
    with listening(1) as sockets:
        gone = socket.create_connection(sockets[0].getsockname())
        with suppress(OSError):
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # it is reset, not closed
        gone.close()
        with clients(sockets[0].getsockname(), 1):
            run(partial(take_all, sockets, 1))


def test_any_other_server_is_made_as_ever() -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Taken, host="127.0.0.1", port=0)
        with clients(server.sockets[0].getsockname(), 1):
            await until(lambda: taken() == 1)
        server.close()

    run(serve)
