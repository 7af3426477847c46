"""The application of one worker: chat completions are read, everything else passes as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from src.entrypoints.gateway.api_errors import api_error_response
from src.entrypoints.gateway.chat_request import ChatRequest, chat_request
from src.entrypoints.gateway.completions import Asking, Gateway
from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.gateway.streams import StreamedAnswer
from src.entrypoints.gateway.upstream import (
    GATEWAY_KEY,
    NOT_ANSWERED,
    NOT_SENT,
    answer_timeout,
    passed_headers,
    send_whole,
)
from src.entrypoints.http.app import observed
from src.entrypoints.http.guards import guarded, key_check
from src.entrypoints.http.problems import Problem, header_values
from src.entrypoints.http.routes import healthz, metrics, readyz
from src.entrypoints.http.server import prepared_app, run_workers
from src.shared.domain.language import Phrase

CHAT = "/v1/chat/completions"
_CHAT_PATH = "/chat/completions"
"""How the paths of completions end; Azure's begin with the deployment."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OWN: dict[str, Callable[[Request], Awaitable[Any]]] = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}
"""What is answered here, as by the service, and not by the upstream."""


def create_gateway(settings: GatewaySettings) -> Starlette:
    """Make the application of one worker; nothing is opened before it starts."""
    gateway = Gateway(settings)
    app = Starlette(lifespan=lambda _: _lifespan(gateway))
    app.state.service = gateway
    inner = app.build_middleware_stack()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await inner(scope, receive, send)
            return
        try:
            await _respond(gateway, scope, receive, send)
        except Problem as problem:
            await api_error_response(problem)(scope, receive, send)

    is_open = settings.open and not settings.api_keys
    key = (lambda _: None) if is_open else key_check(settings.api_keys, GATEWAY_KEY)
    guards = guarded(answer, settings, key=key, respond=api_error_response)
    app.middleware_stack = observed(guards, gateway.metrics, {CHAT, *_OWN}, api_error_response)
    return app


def serve_gateway(settings: GatewaySettings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; as for `run_workers`."""
    run_workers(settings, partial(prepared_app, partial(create_gateway, settings)), announce)


@asynccontextmanager
async def _lifespan(gateway: Gateway) -> AsyncIterator[None]:
    await gateway.warm_up()
    try:
        yield
    finally:
        gateway.is_stopping = True
        gateway.pool.close()
        await gateway.upstream.aclose()


async def _respond(gateway: Gateway, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request; whoever leaves before the end takes the request to the upstream along.

    Raises:
        Problem: there is no answer, or only a part of one.
        ClientDisconnect: the client has left.
    """
    if scope["path"] in _OWN and scope["method"] in {"GET", "HEAD"}:
        told = await _OWN[scope["path"]](Request(scope))
        await (told if isinstance(told, Response) else JSONResponse(told))(scope, receive, send)
        return
    if scope["method"] not in _METHODS:
        raise Problem(405, "METHOD_NOT_ALLOWED", Phrase("this address does not take this method"))
    target, request = gateway.upstream.target(scope), None
    body = await Request(scope, receive).body()
    if scope["method"] == "POST" and scope["path"].rstrip("/").endswith(_CHAT_PATH):
        if any(value.lower() != b"identity" for value in header_values(scope, b"content-encoding")):
            raise Problem(415, "BODY_PACKED", Phrase("the body of a chat completion must not be packed"))
        request = chat_request(body)
    passing = (gateway, scope, target, body, send)
    await _until_gone(_pass(*passing) if request is None else _read(*passing, request), receive)


async def _read(gateway: Gateway, scope: Scope, target: bytes, body: bytes, send: Send, request: ChatRequest) -> None:
    await gateway.prepare(request.contract)
    headers = passed_headers(scope["headers"], (*NOT_SENT, b"accept-encoding"))
    packed_as = b"identity" if request.is_stream else b"gzip"  # which would hold pieces of a stream back
    asking = Asking(gateway, request, target, [*headers, (b"accept-encoding", packed_as)])
    if request.is_stream:
        await StreamedAnswer(asking, send).run(body)
        return
    async with answer_timeout(gateway.settings.answer_timeout):
        status, answered, given = await asking.whole(body)
    await send_whole(send, status, answered, given)


async def _pass(gateway: Gateway, scope: Scope, target: bytes, body: bytes, send: Send) -> None:
    """Pass a request and its answer on as they are, piece by piece."""
    headers, seconds, has_begun = passed_headers(scope["headers"], NOT_SENT), gateway.settings.answer_timeout, False
    try:
        async with answer_timeout(seconds), gateway.upstream.answer(scope["method"], target, headers, body) as response:
            answered = passed_headers(response.headers.raw, NOT_ANSWERED)
            await send({"type": "http.response.start", "status": response.status_code, "headers": answered})
            has_begun = True
            async for piece in response.aiter_raw():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    except Problem:
        if has_begun:
            raise ClientDisconnect from None  # the connection is cut: nothing may look like the end
        raise
    await send({"type": "http.response.body"})


async def _until_gone(work: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Do something for a client; it is cancelled if the client leaves, which is a `ClientDisconnect`."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(receive())  # nothing else comes any more
    leaving.add_done_callback(lambda _: working.cancel())
    try:
        await working
    except asyncio.CancelledError:
        if leaving.done():
            raise ClientDisconnect from None
        raise
    finally:
        leaving.cancel()
