"""The page of a service whose store is filled with made outcomes."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

from src.entrypoints.http.app import create_app
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.container import watch_alarms
from src.modules.monitoring.domain.rate import SECOND, now
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.domain.outcome import Outcome
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.repair import RepairKind
from tests.modules.monitoring.stored import fill

NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script></title></select><h1 hx-get='/static/x' hx-trigger='load'>x",
    "{{ 7 * 7 }}{% raw %}",
    "裁决\u202egnisrever\u2066",
    "z\u0300\u0301\u0302" + "\u0336" * 60,
    "line\nbreak\t\x00\x1b[31m",
    "datum.x || alert(3)",
)


def app_of(url: str | None) -> FastAPI:
    return create_app(ServiceSettings(), MonitoringSettings(store_url=url))


def client_of(url: str | None, **cookies: str) -> TestClient:
    """A client of the service with this store; used as a block it has one loop for all requests."""
    return TestClient(app_of(url), base_url="http://127.0.0.1:8421", cookies=cookies)


def store_of(folder: Path, outcomes: list[Outcome]) -> str:
    url = f"sqlite:///{folder}/outcomes.db"
    fill(url, outcomes)
    return url


def made(count: int = 400, *, with_text: bool = True) -> list[Outcome]:
    """Outcomes of the last hour: one agent that needs the repair agent too often, one that does not."""
    begin = now() - 3_500 * SECOND
    return [_made(number, begin + number * 8 * SECOND, with_text=with_text) for number in range(count)]


def _made(number: int, at: int, *, with_text: bool) -> Outcome:
    agent, model = ("裁决", "deepseek-chat") if number % 2 else ("技术分析师", "qwen3-max")
    kind = number % 20
    if kind == 1:
        return Outcome(
            at, agent, ParseOutcome.MODEL_REPAIRED, model, kinds={RepairKind.SMART_QUOTE.value: 1}, asked=True
        )
    if kind == 3:
        text = "<script>alert(4)</script>\u202e" if with_text else None
        code = "REPAIR_VALUE_CHANGED"
        return Outcome(
            at,
            agent,
            ParseOutcome.REFUSED,
            model,
            stage="validate",
            asked=True,
            repair_code=code,
            length=1_234,
            text=text,
        )
    if kind in {4, 6, 8, 11}:
        return Outcome(at, agent, ParseOutcome.REPAIRED, model, kinds={RepairKind.TRAILING_COMMA.value: 2})
    return Outcome(at, agent, ParseOutcome.CLEAN, model)


def hostile() -> list[Outcome]:
    """Outcomes whose agents, models, stages and texts want to be more than text."""
    begin = now() - 3_000 * SECOND
    return [
        Outcome(
            begin + number * SECOND,
            name,
            ParseOutcome.REFUSED,
            name,
            stage=name,
            asked=True,
            repair_code=name,
            length=9,
            text=name,
        )
        for number, name in enumerate(NAMES * 60)
    ]


def with_alarms(url: str) -> str:
    """The store, once somebody has looked at its rates."""
    watch_alarms(url).look()
    return url
