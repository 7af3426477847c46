"""The repair rate of each agent, for Prometheus: it is counted over the store, since no worker asks a repair agent."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from src.entrypoints.http.metrics import PREFIX
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.thread_pool import ThreadPool
from src.modules.monitoring.application.read_rates import ReadRates
from src.modules.monitoring.domain.exceptions import StoreError
from src.modules.monitoring.domain.rate import Rate
from src.shared.domain.repair_rate import MINIMUM

FRESH = 15.0
"""Seconds for which an answer of the store is given again."""
PATIENCE = 1.0
"""Seconds that Prometheus waits for the store; the other numbers come without it."""
MOST_AGENTS = 200
"""Agents with a rate of their own: those with the highest."""


class StoreRates:
    """Asks the store what `llm-output alarms` asks it: the last texts of each agent, over all processes."""

    def __init__(
        self, reading: ReadRates, questions: ThreadPool, *, fresh: float = FRESH, patience: float = PATIENCE
    ) -> None:
        """Ask nothing yet.

        Args:
            reading: the store.
            questions: threads that ask it.
            fresh: seconds for which an answer is given again.
            patience: seconds that a request waits for one.
        """
        self._reading, self._questions = reading, questions
        self._fresh, self._patience = fresh, patience
        self._began = -math.inf
        self._asking: asyncio.Task[bytes] | None = None

    async def text(self) -> bytes:
        """The rates, as Prometheus reads them; nothing while the store cannot be asked or does not answer."""
        now = time.monotonic()
        if self._asking is None or (self._asking.done() and now - self._began >= self._fresh):
            self._began, self._asking = now, asyncio.create_task(self._ask())
        await asyncio.wait({self._asking}, timeout=self._patience)
        return self._asking.result() if self._asking.done() else b""

    async def _ask(self) -> bytes:
        try:
            rates = await self._questions.run(self._reading.by_agent)
        except (StoreError, Problem):
            return b""
        registry = CollectorRegistry()
        registry.register(RepairRateGauge(rates))
        return generate_latest(registry)


class RepairRateGauge(Collector):
    """The repair rates of agents that have outputs enough for a threshold."""

    def __init__(self, rates: Iterable[Rate] = ()) -> None:
        told = [rate for rate in rates if rate.texts.outputs >= MINIMUM]
        self._rates = sorted(told, key=lambda rate: -rate.texts.repair_rate)[:MOST_AGENTS]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """The family, for `prometheus_client`."""
        said = "Share of an agent's last outputs for which the repair agent asked a model, as the store has it."
        family = GaugeMetricFamily(f"{PREFIX}repair_rate", said, labels=("agent",))
        for rate in self._rates:
            family.add_metric((rate.name,), rate.texts.repair_rate)
        yield family
