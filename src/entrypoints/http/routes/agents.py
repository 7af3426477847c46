"""`GET /v1/agents`: the agents, and what each of them answers."""

from __future__ import annotations

from functools import cache

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.service import Service
from src.shared.domain.answer_type import json_schema_of


class AgentsEndpoint:
    """The list is made once."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def agents(self, _: Request) -> Response:
        """Answer a request."""
        return Response(await self._service.questions.run(_listed), media_type="application/json")


@cache
def _listed() -> bytes:
    return to_json(
        {
            "agents": [
                {
                    "name": agent.name,
                    "context": agent.context,
                    "title": agent.output.label,
                    "type": agent.dto,
                    "schema": json_schema_of(agent.output.dto_type),
                }
                for agent in AGENTS.values()
            ]
        }
    )
