"""`GET /healthz` and `GET /readyz`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.service import Service
from src.entrypoints.http.store_problems import store_problem, unwritten
from src.modules.monitoring.domain.exceptions import StoreError, StoreMissingError
from src.shared.domain.language import Message


async def healthz(_: Request) -> Response:
    """The process answers."""
    return JSONResponse({"status": "ok"})


class Readiness:
    """Whether a worker can be sent requests."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def readyz(self, _: Request) -> Response:
        """It is not stopping, and the store, where one is set, can be read and written and is of this version."""
        if self._service.is_stopping:
            raise Problem(503, "STOPPING", Message("服务正在停止", "the service is stopping"))
        recording = self._service.recording
        if recording and recording.writer.is_stuck:
            raise unwritten()
        rates = self._service.rates
        if rates:
            try:
                await self._service.questions.run(rates.facts)
            except StoreMissingError:
                pass  # it is made with the first outcome
            except StoreError as error:
                raise store_problem(error) from None
        return JSONResponse({"status": "ready"})
