"""How large a body may be, and how long it may take."""

import asyncio
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.entrypoints.http.connections import bounded_bodies
from src.entrypoints.http.problems import Problem, problem_response
from tests.entrypoints.http.asking import ask, echo, in_pieces, scope_of, unreached

pytestmark = pytest.mark.anyio

MOST = 10
SOON = 0.02


def bounded(app: ASGIApp = echo, seconds: float = 5) -> ASGIApp:
    """An application that answers problems, behind the bounds."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)

    return bounded_bodies(answering, most=MOST, seconds=seconds, streamed=["/batch"], linger=SOON)


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
async def test_body_up_to_the_bound_is_read_whole(scope: Scope, pieces: tuple[bytes, ...]) -> None:
    answer = await ask(bounded(), scope, in_pieces(*pieces))

    assert (answer.status, answer.body) == (200, b"0123456789")


async def test_streamed_body_is_not_bounded_here() -> None:
    answer = await ask(bounded(), of_length(1_000, "/batch"), in_pieces(*[b"x" * 100] * 10))

    assert (answer.status, len(answer.body)) == (200, 1_000)


@pytest.mark.parametrize("path", ["/", "/batch"])
async def test_application_whose_client_stays_after_its_body_is_not_hurried(path: str) -> None:
    async def waits(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(receive(), SOON * 3)
        await echo(scope, in_pieces(b""), send)

    whole = in_pieces(b"x")
    messages = [await whole()]

    async def receive() -> Message:
        return messages.pop() if messages else await and_then_silence()()

    assert (await ask(bounded(waits, SOON), chunked(path), receive)).status == 200


@pytest.mark.parametrize("length", [MOST + 1, 10**9, "9" * 5_000])
async def test_announced_length_above_the_bound_is_refused_without_the_application(length: object) -> None:
    answer = await ask(bounded(unreached), of_length(length), in_pieces(b"x" * 11))

    assert (answer.status, answer.code, answer.header("connection")) == (413, "BODY_TOO_LARGE", ["close"])


async def test_nothing_is_read_of_a_client_that_waits_to_be_allowed() -> None:
    async def receive() -> Message:
        raise AssertionError

    answer = await ask(bounded(unreached), of_length(MOST + 1, "/", ("Expect", "100-continue")), receive)

    assert answer.status == 413


@pytest.mark.parametrize("scope", [of_length(MOST + 1), chunked()], ids=["length", "chunked"])
async def test_refusal_is_sent_before_what_is_left_of_the_body_is_read(scope: Scope) -> None:
    happened = []
    incoming = in_pieces(b"x" * 11, b"x", b"x")

    async def receive() -> Message:
        happened.append("read")
        return await incoming()

    async def send(message: Message) -> None:
        happened.append(message["type"])

    await bounded()(scope, receive, send)

    begin, *rest = happened[happened.index("http.response.start") :]
    assert (begin, rest[0], rest[-1]) == ("http.response.start", "http.response.body", "http.response.body")
    assert rest[1:-1] == ["read"] * (2 if happened[0] == "read" else 3)


@pytest.mark.parametrize(
    ("scope", "pieces"),
    [(of_length(MOST + 1), (b"x",)), (chunked(), (b"x" * 6, b"x" * 5, b"x")), (of_length(1), (b"x" * 11,))],
    ids=["announced", "chunked", "longer than it says"],
)
async def test_client_that_goes_on_sending_too_much_is_refused_and_cut_off(
    scope: Scope, pieces: tuple[bytes, ...]
) -> None:
    answer = await ask(bounded(), scope, and_then_silence(*pieces))

    assert (answer.status, answer.code) == (413, "BODY_TOO_LARGE")


@pytest.mark.parametrize("scope", [of_length(MOST), chunked(), chunked("/batch")], ids=["whole", "chunked", "streamed"])
async def test_body_that_does_not_go_on_in_time_is_refused(scope: Scope) -> None:
    answer = await ask(bounded(seconds=SOON), scope, and_then_silence(b"x"))

    assert (answer.status, answer.code, answer.header("connection")) == (408, "BODY_TOO_SLOW", ["close"])


async def test_each_piece_of_a_streamed_body_has_the_time_by_itself() -> None:
    incoming = in_pieces(*[b"x"] * 5)

    async def receive() -> Message:
        await asyncio.sleep(0.15)
        return await incoming()

    assert (await ask(bounded(seconds=0.5), chunked("/batch"), receive)).status == 200
