"""How large a body may be, and how long it may take to arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from http import HTTPStatus

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.entrypoints.http.problems import BodyTooLargeError, Problem, header_values, problem_response, read_body
from src.shared.domain import language

LINGER = 1.0
"""Seconds in which a client that is still sending can read why it is refused, before the connection is closed."""
_CLOSE = (("Connection", "close"),)
_DIGITS = 18
"""Of the longest length that is read as a number."""


class Bodies:
    """Gives the application whole bodies; those that are too large or too slow it never sees.

    The paths of `streamed` get their body as it comes, and bound it themselves; a pause that is too long ends it.
    """

    def __init__(
        self, app: ASGIApp, *, most: int, seconds: float, streamed: Collection[str] = (), linger: float = LINGER
    ) -> None:
        """Guard an application.

        Args:
            app: it.
            most: bytes of a body.
            seconds: in which a body has to arrive, or the next piece of a streamed one.
            streamed: the paths whose bodies are streamed.
            linger: seconds before a connection is closed whose client is still sending.
        """
        self._app = app
        self._most = most
        self._seconds = seconds
        self._streamed = frozenset(streamed)
        self._too_large, self._too_slow = _too_large(most), _too_slow(seconds)
        self._linger = linger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not _has_body(scope):
            await self._app(scope, receive, send)
        elif scope["path"] in self._streamed:
            await self._stream(scope, receive, send)
        elif self._is_announced_too_large(scope):
            await self._refuse_large(scope, receive, send)
        else:
            await self._read(scope, receive, send)

    def _is_announced_too_large(self, scope: Scope) -> bool:
        lengths = header_values(scope, b"content-length")
        return any(len(length) > _DIGITS or int(length) > self._most for length in lengths if length.isdigit())

    async def _read(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                body = await read_body(receive, self._most)
        except TimeoutError:
            await problem_response(self._too_slow)(scope, receive, send)
            return
        except BodyTooLargeError:
            await self._refuse_large(scope, receive, send)
            return
        except ClientDisconnect:
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        watch = _Pauses(self._seconds, receive, send)
        try:
            await self._app(scope, watch.receive, watch.send)
        except ClientDisconnect:  # as Starlette and our routes say it
            if not watch.is_late:
                raise
        if watch.is_late and not watch.is_answered:
            await problem_response(self._too_slow)(scope, receive, send)

    async def _refuse_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at once, and read on for a moment: a client that is cut off while it sends cannot read the answer."""
        waits_for_us = header_values(scope, b"expect")

        async def sent(message: Message) -> None:
            is_end = message["type"] == "http.response.body"
            if not is_end or waits_for_us:
                await send(message)
                return
            await send({**message, "more_body": True})
            await _discard(receive, self._linger)
            await send({"type": "http.response.body"})

        await problem_response(self._too_large)(scope, receive, sent)


def _too_large(most: int) -> Problem:
    detail = language.Phrase("a body has at most {most} bytes", most=most)
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "BODY_TOO_LARGE", detail, headers=_CLOSE)


def _too_slow(seconds: float) -> Problem:
    detail = language.Phrase("a body has to arrive within {seconds:g} seconds", seconds=seconds)
    return Problem(HTTPStatus.REQUEST_TIMEOUT, "BODY_TOO_SLOW", detail, headers=_CLOSE)


class _Pauses:
    """Both ways of a request with a streamed body: after a pause that is too long the client counts as gone."""

    def __init__(self, seconds: float, receive: Receive, send: Send) -> None:
        self._seconds = seconds
        self._receive = receive
        self._send = send
        self._is_whole = False
        self.is_late = False
        self.is_answered = False

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._receive()  # it waits for the client to leave
        try:
            async with asyncio.timeout(self._seconds):
                message = await self._receive()
        except TimeoutError:
            self.is_late = True
            return {"type": "http.disconnect"}
        self._is_whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if self.is_late and not self.is_answered:
            return
        self.is_answered = True
        await self._send(message)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Give the body once, and then what the server says."""
    first: Message | None = {"type": "http.request", "body": body, "more_body": False}

    async def replay() -> Message:
        nonlocal first
        message, first = first, None
        return message or await receive()

    return replay


async def _discard(receive: Receive, seconds: float) -> None:
    """Read and forget until the body ends, the client leaves or the time is over."""
    try:
        async with asyncio.timeout(seconds):
            while (await receive()).get("more_body", False):
                pass
    except TimeoutError:
        pass


def _has_body(scope: Scope) -> bool:
    """Whether the request says that a body follows."""
    return any(
        key == b"transfer-encoding" or (key == b"content-length" and value != b"0") for key, value in scope["headers"]
    )
