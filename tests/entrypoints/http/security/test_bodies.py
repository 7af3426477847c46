"""How large a body may be, and how long it may take."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope

from src.entrypoints.http.security.bodies import Bodies
from tests.entrypoints.http.security.asking import ask, echo, in_pieces, scope_of, unreached

pytestmark = pytest.mark.anyio

MOST = 10
SOON = 0.02


def guarded(app: ASGIApp = echo, seconds: float = 5) -> Bodies:
    return Bodies(app, most=MOST, seconds=seconds, streamed=["/batch"], linger=SOON)


def of_length(length: object, path: str = "/", *headers: tuple[str, str]) -> dict[str, Any]:
    return scope_of("POST", path, [("Content-Length", str(length)), *headers])


def chunked(path: str = "/") -> dict[str, Any]:
    return scope_of("POST", path, [("Transfer-Encoding", "chunked")])


def and_then_silence(*pieces: bytes) -> Receive:
    """Pieces of a body that does not end."""
    left = list(pieces)

    async def receive() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(0), "more_body": True}
        await asyncio.Event().wait()
        raise AssertionError

    return receive


@pytest.mark.parametrize("pieces", [(b"0123456789",), (b"01234", b"56789"), (b"", b"0123456789", b"")])
@pytest.mark.parametrize("scope", [of_length(MOST), chunked()], ids=["length", "chunked"])
async def test_body_up_to_the_bound_is_given_whole(scope: Scope, pieces: tuple[bytes, ...]) -> None:
    answer = await ask(guarded(), scope, in_pieces(*pieces))

    assert (answer.status, answer.body) == (200, b"0123456789")


async def test_after_the_body_the_application_learns_when_the_client_leaves() -> None:
    told = []

    async def listening(scope: Scope, receive: Receive, send: Callable[..., Any]) -> None:
        told.extend([await receive(), await receive()])
        await echo(scope, in_pieces(b""), send)

    await ask(guarded(listening), of_length(1), in_pieces(b"x"))

    assert [message["type"] for message in told] == ["http.request", "http.disconnect"]


@pytest.mark.parametrize("length", [MOST + 1, 10**9, "9" * 5_000])
async def test_announced_length_above_the_bound_is_refused_without_the_application(length: object) -> None:
    answer = await ask(guarded(unreached), of_length(length), in_pieces(b"x" * 11))

    assert (answer.status, answer.code, answer.header("connection")) == (413, "BODY_TOO_LARGE", ["close"])


async def test_nothing_is_read_of_a_client_that_waits_to_be_allowed() -> None:
    async def receive() -> Message:
        raise AssertionError

    answer = await ask(guarded(unreached), of_length(MOST + 1, "/", ("Expect", "100-continue")), receive)

    assert answer.status == 413


async def test_refusal_is_sent_before_what_is_left_of_the_body_is_read() -> None:
    happened = []
    incoming = in_pieces(b"x", b"x")

    async def receive() -> Message:
        happened.append("read")
        return await incoming()

    async def send(message: Message) -> None:
        happened.append(message["type"])

    await guarded(unreached)(of_length(MOST + 1), receive, send)

    assert happened == ["http.response.start", "http.response.body", "read", "read", "http.response.body"]


async def test_client_that_goes_on_sending_is_cut_off_after_a_moment() -> None:
    answer = await ask(guarded(unreached), of_length(MOST + 1), and_then_silence(b"x"))

    assert answer.status == 413


async def test_chunked_body_is_counted_and_refused_at_the_bound() -> None:
    answer = await ask(guarded(unreached), chunked(), and_then_silence(b"x" * 6, b"x" * 5, b"x"))

    assert (answer.status, answer.code) == (413, "BODY_TOO_LARGE")


async def test_body_longer_than_it_says_is_refused() -> None:
    answer = await ask(guarded(unreached), of_length(1), in_pieces(b"x" * 11))

    assert answer.status == 413


async def test_body_that_does_not_arrive_in_time_is_refused() -> None:
    answer = await ask(guarded(unreached, SOON), of_length(MOST), and_then_silence(b"x"))

    assert (answer.status, answer.code, answer.header("connection")) == (408, "BODY_TOO_SLOW", ["close"])


async def test_client_that_leaves_within_its_body_is_not_answered() -> None:
    receive = in_pieces(b"x")
    await receive()
    with pytest.raises(AssertionError, match="no answer"):
        await ask(guarded(unreached), of_length(MOST), receive)


@pytest.mark.parametrize("headers", [[], [("Content-Length", "0")]])
async def test_request_without_a_body_goes_straight_to_the_application(headers: list[tuple[str, str]]) -> None:
    given: list[Receive] = []
    receive = in_pieces(b"")

    async def app(scope: Scope, incoming: Receive, send: Callable[..., Any]) -> None:
        given.append(incoming)
        await echo(scope, incoming, send)

    await ask(guarded(app), scope_of(headers=headers), receive)

    assert given == [receive]


# --- streamed bodies ---


async def test_streamed_body_is_not_bounded_here() -> None:
    answer = await ask(guarded(), of_length(1_000, "/batch"), in_pieces(*[b"x" * 100] * 10))

    assert (answer.status, len(answer.body)) == (200, 1_000)


async def test_pause_within_a_streamed_body_ends_it() -> None:
    answer = await ask(guarded(seconds=SOON), chunked("/batch"), and_then_silence(b"x"))

    assert (answer.status, answer.code) == (408, "BODY_TOO_SLOW")


@pytest.mark.parametrize(("silence", "expected"), [(True, 408), (False, None)])
async def test_application_that_raises_when_its_client_leaves_is_answered_for_only_after_a_pause(
    silence: bool,  # noqa: FBT001 - one of two cases
    expected: int | None,
) -> None:
    async def raises(scope: Scope, receive: Receive, send: Callable[..., Any]) -> None:  # noqa: ARG001 - the form
        while (await receive())["type"] != "http.disconnect":
            pass
        raise ClientDisconnect

    guard = guarded(raises, SOON)
    if silence:
        assert (await ask(guard, chunked("/batch"), and_then_silence(b"x"))).status == expected
        return
    receive = in_pieces(b"")
    await receive()
    with pytest.raises(ClientDisconnect):
        await ask(guard, chunked("/batch"), receive)


async def test_answer_that_has_begun_is_not_followed_by_another() -> None:
    async def begins(scope: Scope, receive: Receive, send: Callable[..., Any]) -> None:
        assert scope["path"] == "/batch"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await receive())["type"] != "http.disconnect":
            await send({"type": "http.response.body", "body": b"line", "more_body": True})
        await send({"type": "http.response.body", "body": b"end"})

    answer = await ask(guarded(begins, SOON), chunked("/batch"), and_then_silence(b"x"))

    assert (answer.status, answer.body) == (200, b"lineend")


async def test_client_that_stays_after_its_streamed_body_is_not_hurried() -> None:
    waited = []

    async def waits(scope: Scope, receive: Receive, send: Callable[..., Any]) -> None:
        await receive()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(receive(), SOON * 3)
        waited.append(True)
        await echo(scope, in_pieces(b""), send)

    silence = and_then_silence()
    incoming = in_pieces(b"x")
    first = await incoming()

    async def receive() -> Message:
        nonlocal first
        message, first = first, {}
        return message or await silence()

    answer = await ask(guarded(waits, SOON), chunked("/batch"), receive)

    assert (answer.status, waited) == (200, [True])
