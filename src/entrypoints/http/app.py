"""The application: routes, middlewares and the page; every answer has a number, is counted and logged."""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import cache, partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.entrypoints.http.guards import KEY_NAME, guarded, secured
from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.openapi import document
from src.entrypoints.http.page.routes import page_of
from src.entrypoints.http.pools import ReadingFailedError, place_of
from src.entrypoints.http.problems import Problem, header_values, problem_response
from src.entrypoints.http.requests import invalid_fields
from src.entrypoints.http.routes import PARSE, PARSE_BATCH, parse, parse_batch, router
from src.entrypoints.http.service import Service
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.domain.exceptions import StoreError, StoreMissingError
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.domain.language import Phrase
from src.shared.infrastructure.distribution import installed_version
from src.shared.infrastructure.events.library_log import write

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms

LOOK_EVERY = 10.0
"""Seconds between two looks at the alarms."""
FLUSH_SECONDS = 1.5
"""Seconds in which the store's writer has to end when the service is stopped."""
NOTE_EVERY = 1.0
"""Seconds between two notes of how the pool and the writer stand."""
QUICK = {PARSE: parse, PARSE_BATCH: parse_batch}
"""What is posted here goes past the framework: these routes have to be quick."""


def create_app(settings: ServiceSettings, monitoring: MonitoringSettings) -> FastAPI:
    """Make the application of one worker; nothing is opened before it starts.

    Args:
        settings: how it listens, whom it answers, and what is too much.
        monitoring: where outcomes go.

    Raises:
        MonitoringSettingsError: the store's address is none.
    """
    service, watch = Service(settings, Metrics()), None
    if url := monitoring.store_url:
        from src.modules.monitoring import container  # noqa: PLC0415 - the store's libraries, which take long to load

        service = Service(settings, Metrics(), container.record_outcomes(monitoring), container.read_rates(url))
        watch = container.watch_alarms(url, container.webhook_of(monitoring))
    app = FastAPI(
        title="llm-output",
        version=installed_version(),
        docs_url=None,  # the scripts of that page would come from another host
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: _lifespan(service, watch),
        exception_handlers=dict.fromkeys((Problem, HTTPException, RequestValidationError, Exception), _answer_error),
    )
    app.state.service = service
    app.openapi = cache(partial(document, router))  # type: ignore[method-assign]  # as FastAPI's own documentation has it
    app.include_router(router)
    app.include_router(page_of(service, watch))
    paths = {getattr(route, "path", "") for route in router.routes} | {str(app.openapi_url)}
    app.middleware_stack = observed(guarded(_quick(app.build_middleware_stack()), settings), service.metrics, paths)
    return app


def _quick(app: ASGIApp) -> ASGIApp:
    """The application, with a way past the framework for texts to parse."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = QUICK.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if endpoint is None:
            await app(scope, receive, send)
            return
        try:
            response = await endpoint(Request(scope, receive))
        except Problem as problem:
            response = problem_response(problem)
        await response(scope, receive, send)

    return answer


@asynccontextmanager
async def _lifespan(service: Service, watch: WatchAlarms | None) -> AsyncIterator[None]:
    noting, is_over = asyncio.create_task(_note(service)), threading.Event()
    await asyncio.gather(service.warm_up(), _report_store(service))
    if watch and watch.webhook:
        threading.Thread(target=look_after, args=(watch, is_over), name="llm-output-alarms", daemon=True).start()
    try:
        yield
    finally:
        service.is_stopping = True
        noting.cancel()
        is_over.set()
        service.pool.close()
        if service.recording:
            await service.questions.run(lambda: service.close(FLUSH_SECONDS))


def look_after(watch: WatchAlarms, is_over: threading.Event, every: float = LOOK_EVERY) -> None:
    """Look for alarms and deliver them until it is over; a delivery under way is then another worker's."""
    while not is_over.wait(every):
        try:
            for event in watch.look():
                write("warning", "llm_alarm", lambda event=event: {"kind": event.kind.value, "name": event.name})  # type: ignore[misc]
            if error := watch.deliver():
                write("warning", "llm_webhook_failed", lambda error=error: {"error": error.message})  # type: ignore[misc]
        except StoreError:
            continue  # it is away, or not made yet; the writer tells of that


async def _report_store(service: Service) -> None:
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
        await asyncio.sleep(NOTE_EVERY)


# --- errors of the framework, as problems -------------------------------------------------------------------


async def _answer_error(_: Request, error: Exception) -> Response:
    """The answer to an error that a route raised; one of ours goes on to `observed`, which logs it."""
    problem = _INTERNAL
    if isinstance(error, Problem):
        problem = error
    elif isinstance(error, RequestValidationError):
        problem = invalid_fields([(one["loc"], one["type"], one["msg"]) for one in error.errors()])
    elif isinstance(error, HTTPException):
        code, detail = _REFUSALS.get(error.status_code, ("REQUEST_REFUSED", Phrase("the request is refused")))
        problem = Problem(error.status_code, code, detail, headers=tuple((error.headers or {}).items()))
    return problem_response(problem)


_REFUSALS = {
    404: ("NOT_FOUND", Phrase("there is nothing at this address")),
    405: ("METHOD_NOT_ALLOWED", Phrase("this address does not take this method")),
}
_INTERNAL = Problem(500, "INTERNAL", Phrase("an error of the service; it was logged"))

# --- what is noted of each request --------------------------------------------------------------------------

REQUEST_ID = b"x-request-id"
CLIENT_GONE = 499
"""What is logged instead of a status where the client did not wait for the answer."""
_ID = re.compile(rb"[A-Za-z0-9_.-]{1,64}+")


def observed(
    app: ASGIApp,
    metrics: Metrics,
    paths: Collection[str],
    respond: Callable[[Problem], ASGIApp] = problem_response,
) -> ASGIApp:
    """An application whose every answer has a number and its headers, is counted and logged.

    The log has no body, no value of a query and no key.

    Args:
        app: the application.
        metrics: counts the answers.
        paths: those of its routes that have no parameter.
        respond: makes the answer to an error of ours.
    """
    prefix, numbers = secrets.token_hex(4).encode(), count(1)

    async def observe(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        began, status, sent = perf_counter(), 0, 0
        chosen = next(filter(_ID.fullmatch, header_values(scope, REQUEST_ID)), b"")
        request_id = chosen or b"%b-%d" % (prefix, next(numbers))

        async def send_on(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = secured(scope["path"], message.get("headers", ()))
                has_id = any(name == REQUEST_ID for name, _ in headers)
                message["headers"] = headers if has_id else [*headers, (REQUEST_ID, request_id)]
            else:
                sent += len(message.get("body", b""))
            await send(message)

        try:
            await app(scope, receive, send_on)
        except ClientDisconnect:
            pass
        except Exception as error:  # noqa: BLE001 - it is ours, and no client is told of it
            place = error.place if isinstance(error, ReadingFailedError) else place_of(error)
            write("warning", "llm_http_failed", lambda: {"request_id": request_id.decode(), "error": place})
            if not status:
                await respond(_INTERNAL)(scope, receive, send_on)
        finally:
            path, status = scope["path"], status or CLIENT_GONE
            route = path if path in paths else getattr(scope.get("route"), "path", "")  # nothing that a client chose
            metrics.answered(route, status)
            facts = {
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round((perf_counter() - began) * 1_000, 3),
                "bytes": sent,
                "request_id": request_id.decode(),
            }
            write("info", "llm_http_request", lambda: facts | {"key": scope.get("state", {}).get(KEY_NAME, "")})

    return observe
