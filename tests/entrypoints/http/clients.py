"""A client of the application without a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from src.entrypoints.http.app import create_app
from src.entrypoints.http.service import Service
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings

PRICE = {
    "title": "Price",
    "type": "object",
    "properties": {"item": {"type": "string"}, "price": {"type": "number"}},
    "required": ["item", "price"],
}


@contextmanager
def client(store: Path | None = None, **settings: Any) -> Iterator[TestClient]:  # noqa: ANN401 - fields
    """The application, started; with a store where a file is named."""
    app = create_app(ServiceSettings(**settings), MonitoringSettings(store_url=f"sqlite:///{store}" if store else None))
    with TestClient(app, base_url="http://127.0.0.1:8421", raise_server_exceptions=False) as asking:
        yield asking


def service_of(asking: TestClient) -> Service:
    """What the routes share."""
    app: Any = asking.app
    found: Service = app.state.service
    return found
