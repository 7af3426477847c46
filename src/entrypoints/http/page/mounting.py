"""The page of a service: what of the service it is given."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.contracts import HttpContract, agent_contract
from src.entrypoints.http.page.explaining import Explained, Explainer, Pasted, Unexplained
from src.entrypoints.http.page.routes import page_router
from src.entrypoints.http.service import Service
from src.modules.monitoring.container import alarm_store


def page_of(service: Service, store_url: str | None) -> APIRouter:
    """The page's routes.

    Args:
        service: reads the store and the texts.
        store_url: the address of the store; None where none is set.
    """

    def schema_contract(schema: dict[str, Any]) -> HttpContract:
        key, kept = service.schemas.kept(schema)
        return kept or service.schemas.compile(key, schema)

    explainer = Explainer(agent_contract, schema_contract)

    async def explain(pasted: Pasted) -> Explained | Unexplained:
        return await service.pool.run(lambda: explainer(pasted))

    alarms = alarm_store(store_url) if store_url else None
    titles = [(name, f"{agent.output.label} · {name}") for name, agent in AGENTS.items()]
    return page_router(service.rates, alarms, explain, titles, max_text=service.settings.max_body)
