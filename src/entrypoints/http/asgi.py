"""ASGI without a framework, for endpoints that have to be quick."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Message

JSON = b"application/json"


async def read_body(receive: Receive) -> bytes:
    """The whole body; middlewares bound it.

    Raises:
        ClientDisconnect: the client has gone.
    """
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


async def send_bytes(send: Send, body: bytes, media_type: bytes = JSON) -> None:
    """Answer 200."""
    headers = [(b"content-type", media_type), (b"content-length", b"%d" % len(body)), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def check_media_type(scope: Scope, *allowed: bytes) -> None:
    """Make sure that the body is of a media type.

    Raises:
        Problem: it is another one (415).
    """
    for name, value in scope["headers"]:
        if name == b"content-type":
            if value.partition(b";")[0].strip().lower() in allowed:
                return
            break
    names = ", ".join(name.decode() for name in allowed)
    detail = Message(f"Content-Type 须为 {names}", f"the Content-Type has to be {names}")
    raise Problem(415, "MEDIA_TYPE", detail, headers={"accept": names})
