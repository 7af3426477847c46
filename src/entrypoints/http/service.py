"""What the routes share in one worker: the readers, the contracts, the store of outcomes and the metrics."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from src.entrypoints.http.contracts import SchemaContracts
from src.entrypoints.http.metrics import Metrics, StoreRates
from src.entrypoints.http.pools import ProcessPool, ThreadPool
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import Reading, known_contract, read_at_once, read_body, warm_up
from src.entrypoints.http.requests import ParseRequest, parse_request
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.container import Recording
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates

QUICK_BODY = 16_384
"""Bytes of a body up to which the loop looks at it; a longer one is looked at in a process."""
QUESTIONS = 4
"""Questions to the store that each worker asks at once."""
QUESTION_SECONDS = 10.0
"""Seconds after which an answer of the store is waited for no longer."""


@dataclass
class Service:
    """One worker's things.

    Attributes:
        settings: how it listens, and what is too much.
        pool: reads texts that may take long.
        questions: threads that ask the store.
        schemas: JSON Schemas by which the loop reads texts.
        metrics: counts what happens.
        recording: where outcomes go; None without a store.
        rates: answers questions about the store; None without one.
        store_rates: the same for Prometheus.
        is_stopping: whether requests under way are the last ones.
    """

    settings: ServiceSettings
    metrics: Metrics
    recording: Recording | None = None
    rates: ReadRates | None = None
    is_stopping: bool = False
    schemas: SchemaContracts = field(default_factory=lambda: SchemaContracts(explain=False))
    pool: ProcessPool = field(init=False)
    questions: ThreadPool = field(init=False)
    store_rates: StoreRates | None = field(init=False)

    def __post_init__(self) -> None:
        """Make the pools; their processes start with `warm_up`, their threads with the first question."""
        self.pool = ProcessPool(self.settings.parse_threads, self.settings.parse_timeout)
        self.questions = ThreadPool(QUESTIONS, QUESTION_SECONDS)
        self.store_rates = StoreRates(self.rates, self.questions) if self.rates else None

    async def warm_up(self) -> None:
        """Have everything there that reading needs, so that the first text takes as long as the second one."""
        readers = asyncio.create_task(self.pool.warm_up())
        await asyncio.sleep(0)  # they start while this process loads its own
        warm_up()
        await readers

    async def parse(self, body: bytes) -> bytes:
        """The answer to the request of a body, as JSON.

        Raises:
            Problem: the text is refused, or cannot be read now.
        """
        request = parse_request(body) if len(body) <= QUICK_BODY else None
        reading = self._read_at_once(request) if request else None
        if reading is None:
            reading = await self.pool.run(read_body, body, size=len(body))
            if request and request.json_schema is not None and reading.has_quick_schema:
                self.schemas.meet(request.json_schema)
        self._tell(reading)
        if isinstance(reading.answer, Problem):
            raise reading.answer
        return reading.answer

    def note(self) -> None:
        """Have the metrics take over how the pool and the store's writer stand."""
        self.metrics.note(self.pool.room, self.recording.writer if self.recording else None)

    def close(self, seconds: float) -> None:
        """Write the outcomes that are left, for so long at most."""
        if self.recording:
            self.recording.writer.close(seconds)

    def _read_at_once(self, request: ParseRequest) -> Reading | None:
        """Read a text whose length bounds the time; else None.

        Raises:
            Problem: the request asks for what there is not.
        """
        contract = known_contract(request, self.schemas)
        return read_at_once(request, contract) if contract else None

    def _tell(self, reading: Reading) -> None:
        if reading.event is None:
            return
        self.metrics.parsed(reading.agent, reading.event, reading.seconds)
        if self.recording:
            self.recording.events.publish(reading.event)
