"""What an attacker can send is refused within limits; nobody else notices, and no answer tells how we are built."""

from __future__ import annotations

import contextlib
import itertools
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.entrypoints.http.attacks.hostile_requests import EVERY
from tests.entrypoints.http.attacks.normal_client import NormalClient
from tests.entrypoints.http.attacks.serving import BOUNDS, MAX_BODY, SECONDS, attacked
from tests.entrypoints.http.attacks.wire import (
    asked,
    connected,
    parse_body,
    read_answer,
    read_to_end,
    request,
    seconds_until_closed,
    send_all,
    status_of,
)
from tests.entrypoints.http.processes import Served
from tests.modules.monitoring.waiting import until
from tests.paths import ROOT
from tests.thorough import at_length

TOLD = (
    b"Traceback",
    b'File "',
    b"/src/",
    b"site-packages",
    b"/usr/",
    str(ROOT).encode(),
    b"python",
    b"pydantic",
    b"fastapi",
    b"starlette",
    b"uvicorn",
    b"httptools",
    b"uvloop",
    b"sqlalchemy",
    b"jsonschema_rs",
    b"jsonschema-rs",
    b"\r\nserver:",
    b"access-control-",
)
MANY = at_length(80, 500)
"""Connections of an attack: more than the service has room for."""
GUESSES = at_length(300, 10_000)
LARGE = at_length(20_000_000, 100_000_000)
SOME_SECONDS = 3 * SECONDS
MOST_GROWTH = 60_000_000
"""Bytes that the attacks together may leave in the service's memory."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with attacked(tmp_path_factory.mktemp("service")) as running:
        asked(running.port, request(body=parse_body()))  # what the first request imports counts as the service's own
        before = running.memory()
        yield running
        grown = running.memory() - before
        alive = running.process.poll() is None
    assert alive
    assert grown < MOST_GROWTH


@pytest.fixture
def client(service: Served) -> Iterator[NormalClient]:
    """A normal client that asks during a test, and is not disturbed."""
    with NormalClient(service.port) as asking:
        yield asking
    assert asking.failures == []
    assert asking.is_undisturbed(), max(asking.seconds)


pytestmark = pytest.mark.usefixtures("client")


def tells_nothing(answer: bytes) -> bool:
    found = [word for word in TOLD if word.lower() in answer.lower()]
    assert found == [], answer
    return True


# --- single requests ---


def test_hostile_requests_are_refused_and_their_answers_tell_nothing(service: Served) -> None:
    answers = {name: asked(service.port, sent) for name, (sent, _) in EVERY.items()}

    assert {name: status_of(answers[name]) for name in EVERY if status_of(answers[name]) not in EVERY[name][1]} == {}
    assert all(tells_nothing(answer) for answer in answers.values())


def test_body_that_is_announced_too_large_is_refused_before_it_is_sent(service: Served) -> None:
    head = request(content_length=str(LARGE), expect="100-continue")
    with connected(service.port) as connection:
        connection.sendall(head)
        answer = read_to_end(connection)

    assert status_of(answer) == 413
    assert tells_nothing(answer)


def test_large_body_is_refused_while_it_is_sent(service: Served) -> None:
    pieces = itertools.chain([request(content_length=str(LARGE))], itertools.repeat(bytes(65_536), LARGE // 65_536))
    began = time.monotonic()
    with connected(service.port) as connection:
        send_all(connection, pieces)
        answer = read_to_end(connection)

    assert time.monotonic() - began < SOME_SECONDS
    assert status_of(answer) in {413, 0}  # a client that only writes may learn of the end alone
    assert tells_nothing(answer)


def test_endless_chunks_end_at_the_bound(service: Served) -> None:
    chunk = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
    began = time.monotonic()
    with connected(service.port) as connection:
        head = request(content_length=None, transfer_encoding="chunked")
        send_all(connection, itertools.chain([head], itertools.repeat(chunk, MAX_BODY // 0x1000 + 1)))
        answer = read_to_end(connection)

    assert status_of(answer) == 413
    assert time.monotonic() - began < SOME_SECONDS


def test_honest_client_that_waits_to_be_allowed_is_told_to_go_on(service: Served) -> None:
    body = parse_body()
    with connected(service.port) as connection:
        connection.sendall(request(content_length=str(len(body)), expect="100-continue"))
        allowed = connection.recv(100)
        connection.sendall(body)
        answer = read_answer(connection)

    assert allowed == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert status_of(answer) == 200


def test_requests_in_advance_are_answered_in_order_up_to_their_bound(service: Served) -> None:
    health = request("GET", "/healthz", content_length=None)
    with connected(service.port) as connection:
        connection.sendall(health * (BOUNDS.pipelined - 1) + request("GET", "/healthz", connection="close"))
        answer = read_to_end(connection)

    assert answer.count(b"HTTP/1.1 200") == BOUNDS.pipelined


def test_more_requests_in_advance_end_the_connection(service: Served) -> None:
    before = service.memory()
    for _ in range(at_length(3, 100)):
        with connected(service.port) as connection:
            send_all(connection, [request("GET", "/healthz", content_length=None) * 5_000])
            answer = read_to_end(connection)
            assert answer.count(b"HTTP/1.1 200") <= BOUNDS.pipelined

    assert service.memory() - before < MOST_GROWTH


# --- many connections ---


def opened(service: Served, stack: ExitStack, sent: bytes) -> list[socket.socket]:
    connections = [stack.enter_context(connected(service.port)) for _ in range(MANY)]
    for connection in connections:
        send_all(connection, [sent])
    return connections


@pytest.mark.parametrize(
    ("sent", "drip"),
    [
        (b"", b""),
        (b"", b"\r\n"),
        (b"GET / HTTP/1.1\r\n", b"X: 1\r\n"),
        (request(content_length="1000"), b"x"),
        (request(content_length=None, transfer_encoding="chunked"), b"1\r\nx\r\n"),
        (request("GET", "/healthz", content_length=None) + b"GET / HTTP/1.1\r\n", b"X: 1\r\n"),
    ],
    ids=["silent", "blank lines", "slow heads", "slow bodies", "slow chunks", "slow second heads"],
)
def test_connections_that_keep_the_service_waiting_are_closed(service: Served, sent: bytes, drip: bytes) -> None:
    with ExitStack() as stack:
        connections = opened(service, stack, sent)

        assert seconds_until_closed(connections, drip) < SOME_SECONDS + 5


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", request(content_length="1000") + b"x", request(body=parse_body())], ids=repr
)
def test_half_closed_connections_are_given_up(service: Served, sent: bytes) -> None:
    before = service.open_files()
    with ExitStack() as stack:
        for connection in opened(service, stack, sent):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        until(lambda: service.open_files() <= before + 2, SOME_SECONDS)


def test_guessing_is_answered_less_and_less_politely(service: Served) -> None:
    statuses = []
    with connected(service.port) as connection:
        for number in range(GUESSES):
            connection.sendall(request("GET", "/v1/agents", authorization=f"Bearer {number}", content_length=None))
            answer = read_answer(connection)
            statuses.append(status_of(answer))
            assert tells_nothing(answer)

    assert statuses[:10] == [401] * 10
    assert set(statuses[10:]) <= {429, 401}
    assert statuses.count(401) < 20
