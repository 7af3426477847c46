"""`GET /metrics`, for Prometheus."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from src.entrypoints.http.service import Service


class MetricsEndpoint:
    """The numbers of all workers."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def metrics(self, _: Request) -> Response:
        """Answer a request."""
        service = self._service
        service.note()
        text = await service.questions.run(service.metrics.text)
        return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
