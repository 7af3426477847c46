"""`POST /v1/parse`: one text."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

from src.entrypoints.http.asgi import JSON, check_media_type, read_body, send_bytes
from src.entrypoints.http.problems import Problem, problem_response
from src.entrypoints.http.service import Service


class ParseEndpoint:
    """Plain ASGI: the route that has to be quick."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            check_media_type(scope, JSON)
            answer = await self._service.parse(await read_body(receive))
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
        else:
            await send_bytes(send, answer)
