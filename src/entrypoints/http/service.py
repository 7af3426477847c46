"""What the routes share in one worker: the readers, the contracts, the store of outcomes and the metrics."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.pools import ProcessPool, StoreAnswers, ThreadPool
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import SchemaContracts, read_at_once, read_body, warm_up
from src.entrypoints.http.requests import parse_request
from src.entrypoints.http.service_settings import ServiceSettings

if TYPE_CHECKING:
    from src.modules.monitoring.container import Recording
    from src.modules.monitoring.infrastructure.store.read_rates import ReadRates

QUICK_BODY = 16_384
"""Bytes of a body up to which the loop looks at it; a longer one is looked at in a process."""
QUESTIONS = 4
"""Questions to the store that each worker asks at once."""
QUESTION_SECONDS = 10.0
"""Seconds after which an answer of the store is waited for no longer."""


class Service:
    """One worker's things.

    Attributes:
        settings: how it listens, and what is too much.
        metrics: counts what happens.
        recording: where outcomes go; None without a store.
        rates: answers questions about the store; None without one.
        schemas: JSON Schemas by which the loop reads texts.
        pool: reads texts that may take long; its processes start with `warm_up`.
        questions: threads that ask the store.
        answers: the same, for what many ask again and again.
        is_stopping: whether requests under way are the last ones.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        metrics: Metrics,
        recording: Recording | None = None,
        rates: ReadRates | None = None,
    ) -> None:
        self.settings, self.metrics, self.recording, self.rates = settings, metrics, recording, rates
        self.is_stopping = False
        self.schemas = SchemaContracts(explain=False)
        self.pool = ProcessPool(settings.parse_threads, settings.parse_timeout)
        self.questions = ThreadPool(QUESTIONS, QUESTION_SECONDS)
        self.answers = StoreAnswers(self.questions)

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
        reading = read_at_once(request, self.schemas) if request else None
        if reading is None:
            reading = await self.pool.run(read_body, body, size=len(body))
            if request and request.json_schema is not None and reading.has_quick_schema:
                self.schemas.meet(request.json_schema)
        if reading.event:
            self.metrics.parsed(reading.agent, reading.event, reading.seconds)
            if self.recording:
                self.recording.events.publish(reading.event)
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
