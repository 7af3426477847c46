"""The application: routes, middlewares and the page; every answer has a number, is counted and logged."""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from itertools import count
from time import perf_counter
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.openapi import document
from src.entrypoints.http.page.routes import page_of
from src.entrypoints.http.pools import ReadingFailedError, place_of
from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.entrypoints.http.requests import invalid_fields
from src.entrypoints.http.routes import ParseBatchEndpoint, ParseEndpoint, agents, healthz, metrics, rates, readyz
from src.entrypoints.http.security.api_keys import KEY_NAME
from src.entrypoints.http.security.guards import guarded
from src.entrypoints.http.service import Service
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.container import read_rates, record_outcomes, watch_alarms, webhook_of
from src.modules.monitoring.domain.exceptions import StoreError, StoreMissingError
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms
from src.shared.domain.language import Phrase
from src.shared.infrastructure.distribution import installed_version
from src.shared.infrastructure.events.library_log import write

EVERY = 10.0
"""Seconds between two looks."""


class AlarmWatcher:
    """A daemon thread that looks and delivers."""

    def __init__(self, watch: WatchAlarms, every: float = EVERY) -> None:
        self._watch, self._every, self._is_over = watch, every, threading.Event()

    def start(self) -> None:
        """Begin to look."""
        threading.Thread(target=self._run, name="llm-output-alarms", daemon=True).start()

    def stop(self) -> None:
        """Look no more; a delivery under way is another worker's if it is not finished."""
        self._is_over.set()

    def _run(self) -> None:
        while not self._is_over.wait(self._every):
            try:
                for event in self._watch.look():
                    write("warning", "llm_alarm", lambda event=event: {"kind": event.kind.value, "name": event.name})  # type: ignore[misc]
                if error := self._watch.deliver():
                    write("warning", "llm_webhook_failed", lambda error=error: {"error": error.message})  # type: ignore[misc]
            except StoreError:
                continue  # it is away, or not made yet; the writer tells of that


FLUSH_SECONDS = 1.5
"""Seconds in which the store's writer has to end when the service is stopped."""
NOTED_EVERY = 1.0
"""Seconds between two notes of how the pool and the writer stand."""
PARSE = "/v1/parse"
_HTTP = {
    404: ("NOT_FOUND", Phrase("there is nothing at this address")),
    405: ("METHOD_NOT_ALLOWED", Phrase("this address does not take this method")),
}


def create_app(settings: ServiceSettings, monitoring: MonitoringSettings) -> FastAPI:
    """Make the application of one worker; nothing is opened before it starts.

    Args:
        settings: how it listens, whom it answers, and what is too much.
        monitoring: where outcomes go.

    Raises:
        MonitoringSettingsError: the store's address is none.
    """
    service = _service(settings, monitoring)
    app = FastAPI(
        title="llm-output",
        version=installed_version(),
        docs_url=None,  # the scripts of that page would come from another host
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: _lifespan(service, _watcher(monitoring)),
    )
    app.state.service = service
    app.openapi = document  # type: ignore[method-assign]  # as FastAPI's own documentation has it
    parse = ParseEndpoint(service)
    app.router.routes[:0] = [  # a request tries the routes in their order
        Route(PARSE, parse, methods=["POST"]),
        Route("/v1/parse-batch", ParseBatchEndpoint(service), methods=["POST"]),
    ]
    app.add_api_route("/v1/rates", rates, methods=["GET"])
    for path, endpoint in (("/v1/agents", agents), ("/healthz", healthz), ("/readyz", readyz), ("/metrics", metrics)):
        app.add_route(path, endpoint, methods=["GET"])
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)
    app.include_router(page_of(service, monitoring.store_url))
    inside = guarded(_quickly(parse, app.build_middleware_stack()), settings)
    app.middleware_stack = Observed(inside, service, [*document()["paths"], "/openapi.json"])
    return app


def _quickly(parse: ASGIApp, app: ASGIApp) -> ASGIApp:
    """The application, with a way past the framework for the texts to parse."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_parse = scope["type"] == "http" and scope["path"] == PARSE and scope["method"] == "POST"
        await (parse if is_parse else app)(scope, receive, send)

    return answer


def _service(settings: ServiceSettings, monitoring: MonitoringSettings) -> Service:
    if not monitoring.store_url:
        return Service(settings, Metrics())
    return Service(settings, Metrics(), record_outcomes(monitoring), read_rates(monitoring.store_url))


def _watcher(monitoring: MonitoringSettings) -> AlarmWatcher | None:
    """Somebody who looks after alarms, where there is somebody to tell."""
    webhook = webhook_of(monitoring)
    return AlarmWatcher(watch_alarms(monitoring.store_url, webhook)) if monitoring.store_url and webhook else None


@asynccontextmanager
async def _lifespan(service: Service, watcher: AlarmWatcher | None) -> AsyncIterator[None]:
    noting = asyncio.create_task(_note(service))
    await asyncio.gather(service.warm_up(), _tell_of_store(service))
    if watcher:
        watcher.start()
    try:
        yield
    finally:
        service.is_stopping = True
        noting.cancel()
        if watcher:
            watcher.stop()
        service.pool.close()
        if service.recording:
            await service.questions.run(lambda: service.close(FLUSH_SECONDS))


async def _tell_of_store(service: Service) -> None:
    """Say at the start, not with the first outcome that is lost, that the store cannot be used as it is."""
    if service.rates is None:
        return
    try:
        await service.questions.run(service.rates.facts)
    except StoreMissingError:
        pass  # it is made with the first outcome
    except (StoreError, Problem) as error:
        write("warning", "llm_store_unavailable", lambda error=error: {"error": str(error), "waiting": 0})  # type: ignore[misc]


async def _note(service: Service) -> None:
    while True:
        service.note()
        await asyncio.sleep(NOTED_EVERY)


async def _problem(_: Request, error: Any) -> Response:  # noqa: ANN401 - a `Problem`, as it is registered
    return problem_response(error)


async def _http(_: Request, error: Any) -> Response:  # noqa: ANN401 - an `HTTPException`
    code, detail = _HTTP.get(error.status_code, ("REQUEST_REFUSED", Phrase("the request is refused")))
    return problem_response(Problem(error.status_code, code, detail, headers=tuple((error.headers or {}).items())))


async def _invalid(_: Request, error: Any) -> Response:  # noqa: ANN401 - a `RequestValidationError`
    return problem_response(invalid_fields([(one["loc"], one["type"], one["msg"]) for one in error.errors()]))


async def _failed(_: Request, __: Exception) -> Response:
    """An error of ours; it goes on to `Observed`, which logs it."""
    return problem_response(internal())


REQUEST_ID = b"x-request-id"
CLIENT_GONE = 499
"""What is logged instead of a status where the client did not wait for the answer."""

_ID = re.compile(rb"[A-Za-z0-9_.-]{1,64}+")
_FAILED = Phrase("an error of the service; it was logged")


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
        given = filter(_ID.fullmatch, header_values(scope, REQUEST_ID))
        return next(given, b"") or b"%b-%d" % (self._prefix, next(self._number))

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

    async def send(self, message: Event) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (REQUEST_ID, self.number)]
        else:
            self.sent += len(message.get("body", b""))
        await self._send(message)


def internal() -> Problem:
    """What a client is told of an error of ours."""
    return Problem(500, "INTERNAL", _FAILED)
