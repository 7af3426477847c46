"""How large a body may be, and how long it may take to arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from math import inf

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.shared.domain.language import Phrase

LINGER = 1.0
"""Seconds in which a client that is still sending can read why it is refused, before the connection is closed."""
_CLOSE = (("Connection", "close"),)
_DIGITS = 18
"""Of the longest length that is read as a number."""


def bounded_bodies(
    app: ASGIApp, *, most: int, seconds: float, streamed: Collection[str] = (), linger: float = LINGER
) -> ASGIApp:
    """An application that meets a `Problem` where it reads more of a body than may come, or has to wait too long.

    Args:
        app: answers problems that are raised while it reads.
        most: bytes of a body. One that is announced as larger never reaches the application.
        seconds: in which a body has to arrive, or the next piece of a streamed one.
        streamed: the paths whose bodies are streamed, and bounded by the application itself.
        linger: seconds before a connection is closed whose client is still sending.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_streamed = scope["path"] in streamed
        body = _Body(receive, send, inf if is_streamed else most, seconds, linger, is_streamed=is_streamed)
        if is_streamed or not _is_announced_larger(scope, most):
            await app(scope, body.receive, body.send)
            return
        body.is_too_large = not header_values(scope, b"expect")  # which waits for us, and sends nothing
        await problem_response(_too_large(most))(scope, receive, body.send)

    return answer


class _Body:
    """Both ways of one request."""

    def __init__(
        self, receive: Receive, send: Send, most: float, seconds: float, linger: float, *, is_streamed: bool
    ) -> None:
        self._receive, self._send, self._is_streamed = receive, send, is_streamed
        self._most, self._seconds, self._linger = most, seconds, linger
        self._size, self._ends, self._is_whole = 0, 0.0, False
        self.is_too_large = False

    async def receive(self) -> Message:
        """The next piece, in time."""
        if self._is_whole:
            return await self._receive()  # it waits for the client to leave
        if self._is_streamed or not self._ends:
            self._ends = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._ends):
                message = await self._receive()
        except TimeoutError:
            detail = Phrase("a body has to arrive within {seconds:g} seconds", seconds=self._seconds)
            raise Problem(408, "BODY_TOO_SLOW", detail, headers=_CLOSE) from None
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            self.is_too_large = True
            raise _too_large(self._most)
        self._is_whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send, and read on for a moment: a client that is cut off while it sends cannot read its refusal."""
        if not self.is_too_large or message["type"] != "http.response.body":
            await self._send(message)
            return
        await self._send({**message, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(self._linger):
                while (await self._receive()).get("more_body", False):
                    pass
        await self._send({"type": "http.response.body"})


def _too_large(most: float) -> Problem:
    return Problem(413, "BODY_TOO_LARGE", Phrase("a body has at most {most} bytes", most=most), headers=_CLOSE)


def _is_announced_larger(scope: Scope, most: int) -> bool:
    lengths = header_values(scope, b"content-length")
    return any(len(length) > _DIGITS or int(length) > most for length in lengths if length.isdigit())
