"""The composition root: the committee and the builder of dossiers, made from an application and the environment."""

from __future__ import annotations

from datetime import UTC, datetime

from examples.committee.application.dossier.builder import DossierBuilder
from examples.committee.container import CommitteeContainer
from examples.committee.infrastructure.committee_settings import CommitteeSettings
from examples.committee.infrastructure.market_data.sources import market_data
from src.bootstrap import Application


def committee_of(app: Application) -> CommitteeContainer:
    """A committee with the settings of the environment over an application's model; its budget holds for each agent."""
    settings, budget = CommitteeSettings(), app.budget()
    return CommitteeContainer(
        llm=app.typed_llm(),
        options=settings.options(budget),
        least_experts=settings.least_experts,
        deadline=settings.deadline,
        price=settings.price() or budget.price,
    )


def dossier_builder(source: str) -> DossierBuilder:
    """Makes dossiers from a source, `akshare` or `tushare`, which is connected on first use."""
    return DossierBuilder(lambda: market_data(source), lambda: datetime.now(UTC))
