"""`GET /metrics`, for Prometheus."""

from __future__ import annotations

import asyncio

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from src.entrypoints.http.service import Service
from src.entrypoints.http.store_rates import StoreRates


class MetricsEndpoint:
    """The numbers of all workers, and the rates of the store."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._rates = StoreRates(service.rates, service.questions) if service.rates else None

    async def metrics(self, _: Request) -> Response:
        """Answer a request."""
        self._service.note()
        text = await asyncio.to_thread(self._service.metrics.text)  # those of the questions may all wait for the store
        if self._rates:
            text += await self._rates.text()
        return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
