"""`GET /v1/rates`: what `llm-output rates --json` writes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field
from starlette.responses import JSONResponse, Response

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.service import Service
from src.entrypoints.http.store_problems import store_problem
from src.entrypoints.reports.grouping import Grouping
from src.entrypoints.reports.rates_question import RatesAnswer, answer_of
from src.modules.monitoring.domain.exceptions import MonitoringSettingsError, StoreError, StoreMissingError
from src.modules.monitoring.domain.window import Window
from src.modules.monitoring.infrastructure.monitoring_settings import STORE_URL
from src.shared.domain.event_names import NAME_LIMIT
from src.shared.domain.language import Message

Name = Annotated[str | None, Field(max_length=NAME_LIMIT)]


def rates_endpoint(service: Service) -> Callable[..., Coroutine[Any, Any, Response]]:
    """The endpoint of a worker."""

    async def rates(
        by: Annotated[Grouping, Query(description="What rates are taken by.")] = Grouping.AGENT,
        window: Annotated[str, Query(max_length=40, description="Which texts: `200`, `24h` or `200,24h`.")] = "200",
        agent: Annotated[Name, Query(description="Texts of this agent only, by its title.")] = None,
        model: Annotated[Name, Query(description="Texts of this model only.")] = None,
    ) -> Response:
        reading = service.rates
        if reading is None:
            detail = Message(f"未设置存储；请设置 {STORE_URL}", f"no store is set; set {STORE_URL}")
            raise Problem(404, "STORE_NOT_SET", detail)
        try:
            Window.of(window)
        except MonitoringSettingsError as error:
            raise Problem(422, "WINDOW_INVALID", error.message) from None
        try:
            found = await service.questions.run(lambda: answer_of(reading, by, window, agent, model))
        except StoreMissingError:
            found = RatesAnswer(by, window)  # nothing has been parsed yet
        except StoreError as error:
            raise store_problem(error) from None
        return JSONResponse(found.json())

    return rates
