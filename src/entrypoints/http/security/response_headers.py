"""What every answer says to a browser."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = "/static/"
"""Where files are that never change under their name; whatever else is not stored."""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_OURS = frozenset(name for name, _ in HEADERS)
_NO_STORE = (b"cache-control", b"no-store")


class ResponseHeaders:
    """Puts the headers on every answer, refusals too, in place of those that the application gives."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_static = scope["path"].startswith(STATIC)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _headers(message.get("headers", ()), may_be_stored=is_static)
            await send(message)

        await self._app(scope, receive, with_headers)


def _headers(given: list[tuple[bytes, bytes]], *, may_be_stored: bool) -> list[tuple[bytes, bytes]]:
    headers = [header for header in given if header[0].lower() not in _OURS]
    headers += HEADERS
    if not may_be_stored and not any(name.lower() == b"cache-control" for name, _ in headers):
        headers.append(_NO_STORE)
    return headers
