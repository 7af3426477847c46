"""All guards around the application, in the one order in which a request meets them."""

from __future__ import annotations

from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from src.entrypoints.http.security.api_keys import ApiKeys, RateLimit
from src.entrypoints.http.security.bodies import Bodies
from src.entrypoints.http.security.connections import BoundedProtocol
from src.entrypoints.http.security.hosts import Gate, Hosts, ResponseHeaders, cross_site
from src.entrypoints.http.security.requests import Check
from src.entrypoints.http.service_settings import ServiceSettings

STREAMED = ("/v1/parse-batch",)
"""The paths whose route bounds the body itself, by line and by count."""


def guarded(app: ASGIApp, settings: ServiceSettings) -> ASGIApp:
    """The application behind all guards.

    From the outside in: who the client is, the headers of every answer, the host, other sites, the key, the rate,
    the body.

    Args:
        app: it answers `http` and `lifespan`; a websocket is refused before it.
        settings: of the service.
    """
    checks: list[Check] = [Hosts([settings.host, *settings.hosts]), cross_site, ApiKeys.of(settings.api_keys)]
    if settings.requests_per_second:
        checks.append(RateLimit.of(settings.requests_per_second))
    bodies = Bodies(app, most=settings.max_body, seconds=settings.body_timeout, streamed=STREAMED)
    inside: Any = ResponseHeaders(Gate(bodies, checks))
    if settings.trusted_proxies:
        inside = ProxyHeadersMiddleware(inside, list(settings.trusted_proxies))

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await inside(scope, receive, send)
        elif scope["type"] == "lifespan":
            await app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    return guard


def server_options() -> dict[str, Any]:
    """The settings of uvicorn that belong to the guards: no proxy is believed here, and no program is named."""
    return {"http": BoundedProtocol, "ws": "none", "proxy_headers": False, "server_header": False}
