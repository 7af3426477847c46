"""The page of a service: what of the service it is given."""

from __future__ import annotations

from fastapi import APIRouter

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.page.explaining import Explained, Pasted, Unexplained, explained
from src.entrypoints.http.page.routes import page_router
from src.entrypoints.http.service import Service
from src.modules.monitoring.container import alarm_store


def page_of(service: Service, store_url: str | None) -> APIRouter:
    """The page's routes.

    Args:
        service: reads the store and the texts.
        store_url: the address of the store; None where none is set.
    """

    async def explain(pasted: Pasted) -> Explained | Unexplained:
        size = len(pasted.text) + len(pasted.schema)
        return await service.pool.run(explained, pasted, size=size)

    alarms = alarm_store(store_url) if store_url else None
    titles = [(name, f"{agent.output.label} · {name}") for name, agent in AGENTS.items()]
    return page_router(service.rates, alarms, explain, titles, max_text=service.settings.max_body)
