"""Read rates: what the store says about agents, models, stages and kinds of repair.

Stable, for the service and the page: the methods of `ReadRates`, `RateQuery`, `Window` and the answers' attributes
(`domain/rate.py`, `domain/outcome.py`). Moments are microseconds since 1970 (`domain/moment.py` has `time_of`).
"""

from __future__ import annotations

from dataclasses import replace

from src.modules.monitoring.domain.outcome import Outcome
from src.modules.monitoring.domain.ports import RateSource
from src.modules.monitoring.domain.rate import Point, Rate, RateQuery, Share, ShareOf, StoreFacts
from src.modules.monitoring.domain.window import Clock, Window, now
from src.shared.domain.ports.repair_rates import RateScope

ALL = RateQuery()
MOST_REFUSALS = 1_000
"""Refusals of one answer."""
MOST_POINTS = 10_000
"""Steps of one series."""


class ReadRates:
    """Answers questions about the store. Each method may be called from any thread.

    Every method raises `StoreError` if the store cannot be asked.
    """

    def __init__(self, source: RateSource, clock: Clock = now) -> None:
        """Ask a store.

        Args:
            source: counts what is in it.
            clock: says what time it is, for windows that have no end of their own.
        """
        self._source, self._clock = source, clock

    def by_agent(self, query: RateQuery = ALL) -> tuple[Rate, ...]:
        """The rate of each agent over its own last texts, by name."""
        return self._source.rates(RateScope.AGENT, self._ended(query))

    def by_model(self, query: RateQuery = ALL) -> tuple[Rate, ...]:
        """The rate of each model over its own last texts, by name; texts that came from no model are in none."""
        return self._source.rates(RateScope.MODEL, self._ended(query))

    def total(self, query: RateQuery = ALL) -> Rate:
        """The rate of the last texts, whoever asked for them."""
        return self._source.total(self._ended(query))

    def by_stage(self, query: RateQuery = ALL) -> tuple[Share, ...]:
        """How many of the last texts each stage refused, the most frequent first."""
        return self._source.shares(ShareOf.STAGE, self._ended(query))

    def by_kind(self, query: RateQuery = ALL) -> tuple[Share, ...]:
        """In how many of the last texts each kind of repair was made, the most frequent first."""
        return self._source.shares(ShareOf.KIND, self._ended(query))

    def series(self, query: RateQuery, step: int) -> tuple[Point, ...]:
        """Rates over time, oldest first; steps begin at multiples of their length, and empty ones are left out.

        Args:
            query: which texts; its window has a time.
            step: seconds of a step.

        Raises:
            ValueError: the window has no time, or more than `MOST_POINTS` steps.
        """
        seconds = query.window.seconds
        if not seconds or step < 1 or seconds // step > MOST_POINTS:
            text = f"a series needs a window with a time, of 1 to {MOST_POINTS} steps, not {seconds=} and {step=}"
            raise ValueError(text)
        return self._source.series(self._ended(replace(query, window=Window(None, seconds))), step)

    def refusals(self, query: RateQuery = ALL, limit: int = 50) -> tuple[Outcome, ...]:
        """The newest refused texts of the window's time, the newest first; at most `MOST_REFUSALS`."""
        return self._source.refusals(self._ended(query), min(limit, MOST_REFUSALS))

    def facts(self) -> StoreFacts:
        """How much the store holds, and how many outcomes were dropped."""
        return self._source.facts()

    def _ended(self, query: RateQuery) -> RateQuery:
        return query if query.until is not None else replace(query, until=self._clock())
