"""Asking an ASGI application without a server, and an application that tells what it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

Headers = Iterable[tuple[str, str]]


def scope_of(
    method: str = "GET",
    path: str = "/",
    headers: Headers = (),
    *,
    client: str = "127.0.0.1",
    server: str = "127.0.0.1",
) -> dict[str, Any]:
    """A request as a server describes it."""
    return {
        "type": "http",
        "method": method,
        "path": path,
        "scheme": "http",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
        "client": (client, 50_000),
        "server": (server, 8_421),
        "state": {},
    }


@dataclass
class Answer:
    """What came back, and how it came."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["code"])


async def ask(app: ASGIApp, scope: Mapping[str, Any], receive: Receive | None = None) -> Answer:
    """Ask; without `receive` the body is empty."""
    sent: list[Message] = []

    async def empty() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(dict(message))

    await app(dict(scope), receive or empty, send)
    assert sent, "no answer"
    start, *rest = sent
    assert not rest[-1].get("more_body", False)
    headers = [(name.decode(), value.decode("latin-1")) for name, value in start["headers"]]
    return Answer(start["status"], headers, b"".join(part.get("body", b"") for part in rest))


def in_pieces(*pieces: bytes) -> Receive:
    """A body that comes in pieces; after the last one the client leaves."""
    messages = [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces)}
        for number, piece in enumerate(pieces, 1)
    ]

    async def receive() -> Message:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    return receive


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body, unless the client leaves before it is whole."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message["body"]
        if not message["more_body"]:
            break
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
    assert scope["type"] == "http"


async def unreached(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - the form of an application
    """An application that must not be asked."""
    raise AssertionError
