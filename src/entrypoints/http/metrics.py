"""What Prometheus asks for: the names, and what counts them."""

from __future__ import annotations

import os
from collections import Counter as Counted

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from src.entrypoints.http.metrics_folder import FOLDER_VARIABLE
from src.shared.domain.ports.events import OutputParsed, ParseOutcome

PREFIX = "llm_output"
BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The counters of one worker; what is asked for is the sum over all."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._parses = Counter(
            f"{PREFIX}_parses", "Texts read or refused.", ("agent", "outcome"), registry=self.registry
        )
        self._repairs = Counter(
            f"{PREFIX}_repairs", "Repairs in texts that were read.", ("kind",), registry=self.registry
        )
        self._refusals = Counter(f"{PREFIX}_refusals", "Refused texts by stage.", ("stage",), registry=self.registry)
        self._seconds = Histogram(
            f"{PREFIX}_parse_seconds", "Time to read a text.", buckets=BUCKETS, registry=self.registry
        )
        self._requests = Counter(
            f"{PREFIX}_http_requests", "Requests answered.", ("route", "status"), registry=self.registry
        )

    def parsed(self, agent: str, event: OutputParsed, seconds: float) -> None:
        """Count a text."""
        self._parses.labels(agent, event.outcome.value).inc()
        self._seconds.observe(seconds)
        if event.outcome is ParseOutcome.REFUSED:
            self._refusals.labels(event.stages[-1] if event.stages else "").inc()
            return
        for kind, count in Counted(event.repair_kinds).items():
            self._repairs.labels(kind.value).inc(count)

    def answered(self, route: str, status: int) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it; over all workers."""
        if not os.environ.get(FOLDER_VARIABLE):
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # the library is half typed
        return generate_latest(together)
