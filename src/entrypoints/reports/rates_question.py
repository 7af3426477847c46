"""A question about rates, as the command line and the service take it, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from src.entrypoints.reports.grouping import Grouping
from src.entrypoints.reports.monitoring_json import rate_json, share_json
from src.modules.monitoring.application.read_rates import ReadRates
from src.modules.monitoring.domain.rate import Rate, RateQuery, Share
from src.modules.monitoring.domain.window import Window


@dataclass(frozen=True, slots=True)
class RatesAnswer:
    """What the store says.

    Attributes:
        by: what was asked.
        window: as it was written.
        rates: of agents or models; empty where shares were asked for.
        shares: of stages or kinds.
        dropped: outcomes that are not counted, since they were lost.
    """

    by: Grouping
    window: str
    rates: tuple[Rate, ...] = ()
    shares: tuple[Share, ...] = ()
    dropped: int = 0

    def json(self) -> dict[str, Any]:
        """The answer for programs."""
        shown = [*map(rate_json, self.rates), *map(share_json, self.shares)]
        return {"by": self.by.value, "window": self.window, "dropped": self.dropped, "rates": shown}


def answer_of(
    reading: ReadRates, by: Grouping, window: str, agent: str | None = None, model: str | None = None
) -> RatesAnswer:
    """Ask a store.

    Args:
        reading: the store.
        by: what rates are taken by.
        window: which texts, as `Window.of` reads it.
        agent: those of one agent alone, by its label.
        model: those of one model alone.

    Raises:
        MonitoringSettingsError: the window is written in another way.
        StoreError: the store cannot be asked.
    """
    query = RateQuery(Window.of(window), agent, model)
    dropped = reading.facts().dropped
    if by is Grouping.AGENT:
        return RatesAnswer(by, window, rates=reading.by_agent(query), dropped=dropped)
    if by is Grouping.MODEL:
        return RatesAnswer(by, window, rates=reading.by_model(query), dropped=dropped)
    shares = reading.by_stage(query) if by is Grouping.STAGE else reading.by_kind(query)
    return RatesAnswer(by, window, shares=shares, dropped=dropped)
