"""The application of one worker: chat completions are read, everything else passes as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from src.entrypoints.gateway.api_errors import api_error_response
from src.entrypoints.gateway.chat_request import ChatRequest, chat_request
from src.entrypoints.gateway.completions import Asking, ReaderPool, send_whole
from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.gateway.streams import StreamedAnswer
from src.entrypoints.gateway.upstream import GATEWAY_KEY, Upstream, answer_timeout, headers_to_answer, headers_to_send
from src.entrypoints.http.app import observed
from src.entrypoints.http.guards import guarded, key_check
from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.problems import Problem, header_values
from src.entrypoints.http.reading import warm_up
from src.entrypoints.http.server import prepared_app, run_workers
from src.shared.domain.language import Phrase

CHAT = "/v1/chat/completions"
_CHAT_PATH = "/chat/completions"
"""How the paths of completions end; Azure's begin with the deployment."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Gateway:
    """One worker's things.

    Attributes:
        settings: where it listens, whom it asks, and what is too much.
        metrics: counts what happens.
        pool: reads choices.
        upstream: the API behind it.
        is_stopping: whether requests under way are the last ones.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        """Start nothing yet."""
        self.settings, self.metrics, self.pool = settings, Metrics(), ReaderPool(settings)
        self.upstream = Upstream(settings)
        self.is_stopping = False

    @asynccontextmanager
    async def lifespan(self, _: object) -> AsyncIterator[None]:
        """Have everything there that reading needs, and close it in the end."""
        readers = asyncio.create_task(self.pool.processes.warm_up())
        await asyncio.sleep(0)  # they start while this process loads its own
        warm_up()
        await readers
        try:
            yield
        finally:
            self.is_stopping = True
            self.pool.processes.close()
            await self.upstream.aclose()

    async def respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whoever leaves before the end takes the request to the upstream along."""
        own = _OWN.get(scope["path"])
        if own is not None and scope["method"] in {"GET", "HEAD"}:
            await own(self)(scope, receive, send)
            return
        if scope["method"] not in _METHODS:
            raise Problem(405, "METHOD_NOT_ALLOWED", Phrase("this address does not take this method"))
        target = self.upstream.target(scope)
        body = await Request(scope, receive).body()
        request = None
        if scope["method"] == "POST" and scope["path"].rstrip("/").endswith(_CHAT_PATH):
            if any(value.lower() != b"identity" for value in header_values(scope, b"content-encoding")):
                detail = Phrase("the body of a chat completion must not be packed")
                raise Problem(415, "BODY_PACKED", detail)
            request = chat_request(body)
        work = (
            self._pass(scope, target, body, send) if request is None else self._read(scope, target, body, request, send)
        )
        await until_gone(work, receive)

    async def _read(self, scope: Scope, target: bytes, body: bytes, request: ChatRequest, send: Send) -> None:
        await self.pool.prepare(request)
        packed_as = b"identity" if request.is_stream else b"gzip"  # which would hold pieces of a stream back
        headers = headers_to_send(scope["headers"], packed_as)
        asking = Asking(request, self.settings, self.upstream, target, headers, self.pool)
        if request.is_stream:
            await StreamedAnswer(asking, send).run(body)
            return
        async with answer_timeout(self.settings.answer_timeout):
            status, answered, given = await asking.whole(body)
        await send_whole(send, status, answered, given)

    async def _pass(self, scope: Scope, target: bytes, body: bytes, send: Send) -> None:
        """Pass a request and its answer on as they are, piece by piece."""
        headers = headers_to_send(scope["headers"])
        seconds, upstream = self.settings.answer_timeout, self.upstream
        async with answer_timeout(seconds), upstream.answer(scope["method"], target, headers, body) as response:
            answered = headers_to_answer(response, is_read=False)
            await send({"type": "http.response.start", "status": response.status_code, "headers": answered})
            async for piece in response.aiter_raw():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})


async def until_gone(work: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Do something for a client; it is cancelled if the client leaves.

    Raises:
        ClientDisconnect: the client has left.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Problem):
                await task


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _ready(gateway: Gateway) -> Response:
    if gateway.is_stopping:
        return api_error_response(Problem(503, "STOPPING", Phrase("the service is stopping")))
    return JSONResponse({"status": "ready"})


def _metrics(gateway: Gateway) -> Response:
    gateway.metrics.note(gateway.pool.processes.room, None)
    return Response(gateway.metrics.text(), headers={"content-type": CONTENT_TYPE_LATEST})


_OWN: dict[str, Callable[[Gateway], Response]] = {
    "/healthz": lambda _: JSONResponse({"status": "ok"}),
    "/readyz": _ready,
    "/metrics": _metrics,
}
"""What is answered here and not by the upstream."""


def create_gateway(settings: GatewaySettings) -> Starlette:
    """Make the application of one worker; nothing is opened before it starts."""
    gateway = Gateway(settings)
    app = Starlette(lifespan=gateway.lifespan)
    app.state.service = gateway
    inner = app.build_middleware_stack()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await inner(scope, receive, send)
            return
        has_begun = False

        async def send_on(message: Any) -> None:  # noqa: ANN401 - ASGI's
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await gateway.respond(scope, receive, send_on)
        except Problem as problem:
            if has_begun:
                raise ClientDisconnect from None  # the connection is cut: nothing may look like the end
            await api_error_response(problem)(scope, receive, send)

    is_open = settings.open and not settings.api_keys
    key = (lambda _: None) if is_open else key_check(settings.api_keys, GATEWAY_KEY)
    guards = guarded(answer, settings, key=key, respond=api_error_response)
    app.middleware_stack = observed(guards, gateway.metrics, {CHAT, *_OWN}, api_error_response)
    return app


def serve_gateway(settings: GatewaySettings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; as for `run_workers`."""
    run_workers(settings, partial(prepared_app, partial(create_gateway, settings)), announce)
