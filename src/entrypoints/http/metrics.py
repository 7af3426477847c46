"""What Prometheus asks for: the names, and what counts them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.service_settings import FOLDER_VARIABLE
from src.modules.monitoring.domain.exceptions import StoreError, StoreVersionError
from src.modules.monitoring.domain.rate import Rate
from src.shared.domain.language import Phrase
from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.repair_rate import MINIMUM

if TYPE_CHECKING:
    from src.entrypoints.http.pools import Room, StoreAnswers
    from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
    from src.modules.monitoring.infrastructure.store.read_rates import ReadRates

PREFIX = "llm_output_"
BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds: clean text takes less than the first, a hostile megabyte less than the last."""
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library is half typed; a series more for each counter
_LIVE: Any = {"multiprocess_mode": "livesum"}


class Metrics:
    """The counters of one worker; what is asked for is the sum over all.

    Attributes:
        registry: holds them.
    """

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ours: dict[str, Any] = {"registry": registry}
        parses = Counter(f"{PREFIX}parses", "Texts that were read or refused.", ("agent", "outcome"), **ours)
        repairs = Counter(f"{PREFIX}repairs", "Repairs in texts that were read.", ("kind",), **ours)
        grades = Counter(f"{PREFIX}grades", "Texts that were read, by how sure that is.", ("grade",), **ours)
        refusals = Counter(f"{PREFIX}refusals", "Texts that were refused, by stage.", ("stage",), **ours)
        requests = Counter(f"{PREFIX}http_requests", "Requests that were answered.", ("route", "status"), **ours)
        self._seconds = Histogram(f"{PREFIX}parse_seconds", "Time to read a text.", buckets=BUCKETS, **ours)
        self._in_use = Gauge(f"{PREFIX}pool_in_use", "Texts that are read in a process.", **ours, **_LIVE)
        self._waiting = Gauge(f"{PREFIX}pool_waiting", "Texts that wait for a process.", **ours, **_LIVE)
        self._rejected = Counter(f"{PREFIX}pool_rejected", "Texts that found no room to wait.", **ours)
        self._written = Counter(f"{PREFIX}store_written", "Events that are in the store.", **ours)
        self._dropped = Counter(f"{PREFIX}store_dropped", "Events that the store lost.", **ours)
        self._unwritten = Gauge(f"{PREFIX}store_waiting", "Events on their way to the store.", **ours, **_LIVE)
        self._parses, self._repairs = cache(parses.labels), cache(repairs.labels)
        self._grades = cache(grades.labels)
        self._refusals, self._requests = cache(refusals.labels), cache(requests.labels)
        self._reached: dict[Counter, int] = {}

    def parsed(self, agent: str, event: OutputParsed, seconds: float) -> None:
        """Count a text."""
        self._parses(agent, event.outcome.value).inc()
        self._seconds.observe(seconds)
        if event.outcome is ParseOutcome.REFUSED:
            self._refusals(event.refusing_stage).inc()
        if event.grade:
            self._grades(event.grade.value).inc()
        for kind, count in event.kinds.items():
            self._repairs(kind).inc(count)

    def answered(self, route: str, status: int) -> None:
        """Count a request."""
        self._requests(route, str(status)).inc()

    def note(self, room: Room, writer: OutcomeWriter | None) -> None:
        """Take over how the readers and the store's writer stand; of other workers it is as old as their last note."""
        self._in_use.set(room.in_use)
        self._waiting.set(room.waiting)
        totals = [(self._rejected, room.rejected)]
        if writer:
            totals += [(self._written, writer.written), (self._dropped, writer.dropped)]
            self._unwritten.set(writer.waiting)
        for counter, total in totals:  # which are counted elsewhere
            reached = self._reached.get(counter, 0)
            counter.inc(max(0, total - reached))
            self._reached[counter] = max(total, reached)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it; over all workers."""
        if not os.environ.get(FOLDER_VARIABLE):
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # the library is half typed
        return generate_latest(together)


PATIENCE = 1.0
"""Seconds that Prometheus waits for the store; the other numbers come without it."""
MOST_AGENTS = 200
"""Agents with a rate of their own: those with the highest."""


async def store_rates(rates: ReadRates, answers: StoreAnswers, patience: float = PATIENCE) -> bytes:
    """What `llm-output alarms` asks the store, as Prometheus reads it: the last texts of each agent.

    Nothing while the store cannot be asked, or does not answer within so many seconds.
    """
    try:
        async with asyncio.timeout(patience):
            return generate_latest(RepairRateGauge(await answers.ask("rates", rates.by_agent)))
    except (StoreError, Problem, TimeoutError):
        return b""


class RepairRateGauge(Collector):
    """The repair rates of agents that have outputs enough for a threshold."""

    def __init__(self, rates: Iterable[Rate] = ()) -> None:
        certain = [rate for rate in rates if rate.texts.outputs >= MINIMUM]
        self._rates = sorted(certain, key=lambda rate: -rate.texts.repair_rate)[:MOST_AGENTS]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """The family, for `prometheus_client`."""
        text = "Share of an agent's last outputs for which the repair agent asked a model, as the store has it."
        family = GaugeMetricFamily(f"{PREFIX}repair_rate", text, labels=("agent",))
        for rate in self._rates:
            family.add_metric((rate.name,), rate.texts.repair_rate)
        yield family


RETRY = (("retry-after", "5"),)


def store_problem(error: StoreError) -> Problem:
    """The problem of a store that cannot be asked."""
    if isinstance(error, StoreVersionError):
        detail = Phrase("the store's tables are of another version; run llm-output store upgrade")
        return Problem(503, error.code, detail)
    return Problem(503, error.code, Phrase("the store cannot be used at the moment"), headers=RETRY)
