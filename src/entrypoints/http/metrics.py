"""What Prometheus asks for: the names, and what counts them."""

from __future__ import annotations

import os
from collections import Counter as Counted
from functools import cache
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from src.entrypoints.http.metrics_folder import FOLDER_VARIABLE
from src.shared.domain.ports.events import OutputParsed, ParseOutcome

if TYPE_CHECKING:
    from src.entrypoints.http.room import Room
    from src.modules.monitoring.infrastructure.background_writer import BackgroundWriter

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
        refusals = Counter(f"{PREFIX}refusals", "Texts that were refused, by stage.", ("stage",), **ours)
        requests = Counter(f"{PREFIX}http_requests", "Requests that were answered.", ("route", "status"), **ours)
        self._seconds = Histogram(f"{PREFIX}parse_seconds", "Time to read a text.", buckets=BUCKETS, **ours)
        self._in_use = Gauge(f"{PREFIX}pool_in_use", "Texts that are read in a process.", **ours, **_LIVE)
        self._waiting = Gauge(f"{PREFIX}pool_waiting", "Texts that wait for a process.", **ours, **_LIVE)
        self._rejected = _Total(Counter(f"{PREFIX}pool_rejected", "Texts that found no room to wait.", **ours))
        self._written = _Total(Counter(f"{PREFIX}store_written", "Events that are in the store.", **ours))
        self._dropped = _Total(Counter(f"{PREFIX}store_dropped", "Events that the store lost.", **ours))
        self._unwritten = Gauge(f"{PREFIX}store_waiting", "Events on their way to the store.", **ours, **_LIVE)
        self._parses, self._repairs = cache(parses.labels), cache(repairs.labels)
        self._refusals, self._requests = cache(refusals.labels), cache(requests.labels)

    def parsed(self, agent: str, event: OutputParsed, seconds: float) -> None:
        """Count a text."""
        self._parses(agent, event.outcome.value).inc()
        self._seconds.observe(seconds)
        if event.outcome is ParseOutcome.REFUSED:
            self._refusals(event.stages[-1] if event.stages else "").inc()
            return
        for kind, count in Counted(event.repair_kinds).items():
            self._repairs(kind.value).inc(count)

    def answered(self, route: str, status: int) -> None:
        """Count a request."""
        self._requests(route, str(status)).inc()

    def note(self, room: Room, writer: BackgroundWriter | None) -> None:
        """Take over how the readers and the store's writer stand; of other workers it is as old as their last note."""
        self._in_use.set(room.in_use)
        self._waiting.set(room.waiting)
        self._rejected.reaches(room.rejected)
        if writer:
            self._written.reaches(writer.written)
            self._dropped.reaches(writer.dropped)
            self._unwritten.set(writer.waiting)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it; over all workers."""
        if not os.environ.get(FOLDER_VARIABLE):
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # the library is half typed
        return generate_latest(together)


class _Total:
    """A counter of something that is counted elsewhere."""

    def __init__(self, counter: Counter) -> None:
        self._counter, self._reached = counter, 0

    def reaches(self, total: int) -> None:
        self._counter.inc(max(0, total - self._reached))
        self._reached = max(total, self._reached)
