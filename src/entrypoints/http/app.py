"""The application: routes, middlewares and the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from src.entrypoints.distribution import installed_version
from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.problems import Problem, problem_response
from src.entrypoints.http.requests import invalid_fields
from src.entrypoints.http.routes.health import Readiness, healthz
from src.entrypoints.http.routes.parse import ParseEndpoint
from src.entrypoints.http.service import Service
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.container import read_rates, record_outcomes
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.domain.language import Message

_HTTP = {
    404: ("NOT_FOUND", Message("没有这个地址", "there is nothing at this address")),
    405: ("METHOD_NOT_ALLOWED", Message("该地址不接受此方法", "this address does not take this method")),
}


def create_app(settings: ServiceSettings, monitoring: MonitoringSettings) -> FastAPI:
    """Make the application of one worker; nothing is opened before it starts.

    Args:
        settings: how it listens, whom it answers, and what is too much.
        monitoring: where outcomes go.
    """
    service = _service(settings, monitoring)
    app = FastAPI(
        title="llm-output",
        version=installed_version(),
        docs_url=None,  # the page's scripts would come from another host
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.service = service
    app.router.routes.insert(0, Route("/v1/parse", ParseEndpoint(service), methods=["POST"]))
    app.add_route("/healthz", healthz, methods=["GET"])
    app.add_route("/readyz", Readiness(service).readyz, methods=["GET"])
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    # the page goes here: app.include_router(page_router(...))
    # the security goes here: app.add_middleware(guarded, settings)
    return app


def _service(settings: ServiceSettings, monitoring: MonitoringSettings) -> Service:
    service = Service(settings, Metrics())
    if monitoring.store_url:
        service.recording = record_outcomes(monitoring)
        service.rates = read_rates(monitoring.store_url)
    return service


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    yield
    service.is_stopping = True
    if service.recording:
        service.recording.writer.close()


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return problem_response(error)


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, detail = _HTTP.get(error.status_code, ("REQUEST_REFUSED", Message("请求被拒绝", "the request is refused")))
    return problem_response(Problem(error.status_code, code, detail, headers=error.headers))


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return problem_response(invalid_fields([(one["loc"], one["type"], one["msg"]) for one in error.errors()]))
