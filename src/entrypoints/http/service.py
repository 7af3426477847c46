"""What the routes share in one worker: the parser's pool, the contracts, the store of outcomes and the metrics."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from pydantic_core import to_json

from src.entrypoints.http.contracts import HttpContract, SchemaContracts, agent_contract
from src.entrypoints.http.loop_time import LoopTime
from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.parser_pool import ParserPool
from src.entrypoints.http.problems import Problem, refused
from src.entrypoints.http.requests import ParseRequest
from src.entrypoints.http.service_settings import ServiceSettings
from src.entrypoints.reports.reading_json import coercions_json, repair_json, stages_json
from src.entrypoints.reports.stages import stages_of
from src.modules.monitoring.application.read_rates import ReadRates
from src.modules.monitoring.container import Recording
from src.shared.domain.event_names import event_name
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.parse_events import parsed_event
from src.shared.domain.ports.output import ParsedText
from src.shared.infrastructure.agents.agent_output import parsed_text
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.parsing.inspection import inspect

QUICK = 4_096
"""Characters of a text, and bytes of a schema, up to which the loop reads the text itself if that takes little work."""

QUESTIONS = 4
"""Questions to the store that each worker asks at once."""
QUESTION_SECONDS = 10.0
"""Seconds after which an answer of the store is waited for no longer."""


@dataclass
class Service:
    """One worker's things.

    Attributes:
        settings: how it listens, and what is too much.
        pool: reads large texts.
        questions: threads that ask the store.
        loop_time: what the loop may still read by itself.
        schemas: JSON Schemas as contracts.
        metrics: counts what happens.
        recording: where outcomes go; None without a store.
        rates: answers questions about the store; None without one.
        is_stopping: whether requests under way are the last ones.
    """

    settings: ServiceSettings
    metrics: Metrics
    recording: Recording | None = None
    rates: ReadRates | None = None
    is_stopping: bool = False
    loop_time: LoopTime = field(default_factory=LoopTime)
    schemas: SchemaContracts = field(default_factory=SchemaContracts)
    pool: ParserPool = field(init=False)
    questions: ParserPool = field(init=False)

    def __post_init__(self) -> None:
        """Make the pools; their threads start with the first text and question."""
        self.pool = ParserPool(self.settings.parse_threads, self.settings.parse_timeout)
        self.questions = ParserPool(QUESTIONS, QUESTION_SECONDS)

    async def parse(self, request: ParseRequest) -> bytes:
        """The answer to a request, as JSON.

        Raises:
            Problem: the text is refused, or cannot be read now.
        """
        contract = await self._contract(request)
        length = len(request.text)
        if length <= QUICK and contract.size <= QUICK and not request.explain:
            answer = self._read_at_once(request, contract)
            if answer is not None:
                return answer
        return await self.pool.run(lambda: self._read(request, contract), length)

    def note(self) -> None:
        """Have the metrics take over how the pool and the store's writer stand."""
        self.metrics.note(self.pool, self.recording.writer if self.recording else None)

    def close(self, seconds: float) -> None:
        """Write the outcomes that are left, for so long at most."""
        if self.recording:
            self.recording.writer.close(seconds)

    async def _contract(self, request: ParseRequest) -> HttpContract:
        if request.json_schema is None:
            contract = agent_contract(request.agent or "")
            return contract.coerced if request.coerce else contract
        if request.coerce:
            raise _coerces_agents()
        schema = request.json_schema
        key, kept = self.schemas.kept(schema)
        if kept:
            return kept
        return await self.pool.run(lambda: self.schemas.compile(key, schema), len(key))

    def _read(self, request: ParseRequest, contract: HttpContract) -> bytes:
        """Read a text, in a thread of the pool."""
        began = time.perf_counter()
        try:
            parsed = contract.read(request.text, finished=request.finished)
        except LLMJsonParseError as error:
            self._tell(request, contract, error, time.perf_counter() - began)
            facts = {"stages": _stages_before(request, contract)} if request.explain else {}
            raise refused(error, **facts) from None
        return self._answered(request, contract, parsed, time.perf_counter() - began)

    def _read_at_once(self, request: ParseRequest, contract: HttpContract) -> bytes | None:
        """Read a text, if that takes little work; else None, and nothing is told of it."""
        began, most_work = time.perf_counter(), self.loop_time.most_work(is_crowded=self.pool.is_crowded)
        try:
            parsed = contract.read_at_once(
                request.text, finished=request.finished, most_work=most_work, spent=self.loop_time.spend
            )
        except LLMJsonParseError as error:
            self._tell(request, contract, error, time.perf_counter() - began)
            raise refused(error) from None
        return self._answered(request, contract, parsed, time.perf_counter() - began) if parsed else None

    def _answered(
        self, request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object], seconds: float
    ) -> bytes:
        answer = _answer(request, contract, parsed)
        self._tell(request, contract, parsed_text(parsed.value, parsed.decoded), seconds)
        return answer

    def _tell(
        self,
        request: ParseRequest,
        contract: HttpContract,
        outcome: ParsedText[object] | LLMJsonParseError,
        seconds: float,
    ) -> None:
        event = parsed_event(contract.label, request.text, outcome, prompt_id=request.prompt_id)
        self.metrics.parsed(contract.name, event, seconds)
        if self.recording:
            self.recording.events.publish(replace(event, model=event_name(request.model)))


def _answer(request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object]) -> bytes:
    decoded = parsed.decoded
    parts = [b'{"data":', contract.written(parsed.value), b',"repairs":']
    parts.append(to_json([repair_json(repair) for repair in decoded.repairs]) if decoded.repairs else b"[]")
    if decoded.coercions:
        parts += [b',"coercions":', to_json(coercions_json(decoded.coercions))]
    if request.explain:
        parts += [b',"stages":', to_json(stages_json(stages_of(decoded.notes), request.text))]
    return b"".join((*parts, b"}"))


def _stages_before(request: ParseRequest, contract: HttpContract) -> list[dict[str, object]]:
    reading = inspect(request.text, contract.dto_type, normalizers=contract.normalizers, finished=request.finished)
    refusing = reading.error.details["stage"] if reading.error else None
    return stages_json(stages_of(reading.notes, refusing), request.text)


def _coerces_agents() -> Problem:
    detail = Message("coerce 需要 agent", "coerce needs an agent: a schema does not say what a value means")
    return Problem(422, "COERCE_NEEDS_AGENT", detail)
