"""The outermost middleware: every answer has a number, is counted and logged, and a failure of ours is a problem."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from itertools import count
from time import perf_counter

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.entrypoints.http.problems import Problem, problem_response
from src.entrypoints.http.readers import ReadingFailedError
from src.entrypoints.http.reading_process import place_of
from src.entrypoints.http.security.requests import KEY_NAME
from src.entrypoints.http.service import Service
from src.shared.domain import language
from src.shared.infrastructure.events.library_log import write

REQUEST_ID = b"x-request-id"
CLIENT_GONE = 499
"""What is logged instead of a status where the client did not wait for the answer."""

_ID = re.compile(rb"[A-Za-z0-9_.-]{1,64}+")
_FAILED = language.Message("服务内部出错，已记录", "an error of the service; it was logged")


class Observed:
    """Pure ASGI. No body, value of a query or key goes into the log."""

    def __init__(self, app: ASGIApp, service: Service, paths: Collection[str]) -> None:
        """Observe an application.

        Args:
            app: it.
            service: has the metrics.
            paths: those of its routes that have no parameter.
        """
        self._app, self._metrics, self._paths = app, service.metrics, frozenset(paths)
        self._prefix, self._number = secrets.token_hex(4).encode(), count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, number = perf_counter(), self._request_id(scope)
        answer = _Answer(send, number)
        try:
            await self._app(scope, receive, answer.send)
        except ClientDisconnect:
            answer.status = answer.status or CLIENT_GONE
        except Exception as error:  # noqa: BLE001 - it is ours, and no client is told of it
            place = error.place if isinstance(error, ReadingFailedError) else place_of(error)
            write("warning", "llm_http_failed", lambda: {"request_id": number.decode(), "error": place})
            if not answer.status:
                await problem_response(internal())(scope, receive, answer.send)
        finally:
            self._tell(scope, answer, perf_counter() - began)

    def _request_id(self, scope: Scope) -> bytes:
        for name, value in scope["headers"]:
            if name == REQUEST_ID and _ID.fullmatch(value):
                given: bytes = value
                return given
        return b"%b-%d" % (self._prefix, next(self._number))

    def _route(self, scope: Scope) -> str:
        """The route that a request took, without anything that a client chose; empty for none."""
        path: str = scope["path"]
        return path if path in self._paths else getattr(scope.get("route"), "path", "")

    def _tell(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        status, route = answer.status or CLIENT_GONE, self._route(scope)
        self._metrics.answered(route, status)
        write(
            "info",
            "llm_http_request",
            lambda: {
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(seconds * 1_000, 3),
                "bytes": answer.sent,
                "request_id": answer.number.decode(),
                "key": scope.get("state", {}).get(KEY_NAME, ""),
            },
        )


class _Answer:
    """What has been sent."""

    __slots__ = ("_send", "number", "sent", "status")

    def __init__(self, send: Send, number: bytes) -> None:
        self._send, self.number = send, number
        self.status = self.sent = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (REQUEST_ID, self.number)]
        else:
            self.sent += len(message.get("body", b""))
        await self._send(message)


def internal() -> Problem:
    """What a client is told of an error of ours."""
    return Problem(500, "INTERNAL", _FAILED)
