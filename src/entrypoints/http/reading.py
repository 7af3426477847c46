"""Reading one request, on the loop or in a process: the answer, and what is told of it."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic_core import from_json, to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.contracts import UNTYPED, HttpContract, SchemaContracts, agent_contract
from src.entrypoints.http.problems import Problem, refused
from src.entrypoints.http.requests import ParseRequest, parse_request
from src.entrypoints.reports.reading_json import coercions_json, repair_json, stages_json
from src.entrypoints.reports.stages import stages_of
from src.modules.monitoring.domain.outcome import TEXT_LIMIT
from src.shared.domain.event_names import event_name
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.parse_events import parsed_event
from src.shared.domain.ports.events import OutputParsed
from src.shared.domain.ports.output import ParsedText
from src.shared.infrastructure.agents.agent_output import parsed_text
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.parsing.inspection import inspect

QUICK = 2_048
"""Characters of a text that is JSON as it stands up to which the loop reads it: none of this length takes 5 ms."""
_SCHEMAS = SchemaContracts()
"""What this process, if it is a reader, has compiled."""
_FENCES = ("```json", "```")


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a request.

    Attributes:
        answer: what is answered.
        agent: what stands for its type in the metrics.
        event: of the text; None where it was not read.
        seconds: that reading it took.
        has_quick_schema: whether the loop can read texts by its schema.
    """

    answer: bytes | Problem
    agent: str = ""
    event: OutputParsed | None = None
    seconds: float = 0.0
    has_quick_schema: bool = False


def is_quick(request: ParseRequest, contract: HttpContract) -> bool:
    """Whether the length of a request's text alone bounds the time of reading it: clean JSON, perhaps in a fence.

    Damaged texts are searched, for 40 ms at 128 characters already.
    """
    text = request.text
    if len(text) > QUICK or request.explain or request.finished is False:
        return False
    text = text.strip()
    is_fenced = text.startswith(_FENCES[0]) and text.endswith(_FENCES[1])
    text = text[len(_FENCES[0]) : -len(_FENCES[1])].lstrip() if is_fenced else text
    if not text.startswith("{" if is_fenced else contract.openings):
        return False
    try:
        data = from_json(text, allow_inf_nan=False)
    except ValueError:
        return False
    return contract.takes_quickly(data)


def read_body(body: bytes) -> Reading:
    """Read the request of a body, in a process that can be ended."""
    try:
        request = parse_request(body)
        contract = _contract(request)
    except Problem as problem:
        return Reading(problem)
    reading = read_request(request, contract)
    text = reading.event.text if reading.event else None
    event = replace(reading.event, text=text[:TEXT_LIMIT]) if reading.event and text else reading.event
    return replace(reading, event=event, has_quick_schema=contract.is_quick)


def read_request(request: ParseRequest, contract: HttpContract) -> Reading:
    """Read a request's text."""
    began = time.perf_counter()
    outcome: ParsedText[object] | LLMJsonParseError
    answer: bytes | Problem
    try:
        parsed = contract.read(request.text, finished=request.finished)
        outcome = parsed_text(parsed.value, parsed.decoded)
        answer = _answer(request, contract, parsed)
    except LLMJsonParseError as error:
        outcome, answer = error, refused(error, **_facts_of_refusal(request, contract))
    except Problem as problem:  # it was read, and cannot be written
        return Reading(problem)
    seconds = time.perf_counter() - began
    event = parsed_event(contract.label, request.text, outcome, prompt_id=request.prompt_id)
    return Reading(answer, contract.name, replace(event, model=event_name(request.model)), seconds)


def known_contract(request: ParseRequest, schemas: SchemaContracts) -> HttpContract | None:
    """What a request's text is parsed into, if that need not be compiled.

    Raises:
        Problem: there is no such agent, or the request asks for what its type does not allow.
    """
    if request.coerce and request.agent is None:
        zh, en = "coerce 需要 agent", "coerce needs an agent: nothing else says what a value means"
        raise Problem(422, "COERCE_NEEDS_AGENT", Message(zh, en))
    if request.agent is not None:
        contract = agent_contract(request.agent)
        return contract.coerced if request.coerce else contract
    return UNTYPED if request.json_schema is None else schemas.kept(request.json_schema)


def schema_contract(schema: dict[str, object]) -> HttpContract:
    """The contract of a schema, compiled once in this process.

    Raises:
        Problem: it is no schema that can be taken.
    """
    return _SCHEMAS.kept(schema) or _SCHEMAS.compile(schema)


def warm_up() -> None:
    """Load everything that reading needs."""
    for name in AGENTS:
        agent_contract(name).openings  # noqa: B018 - it makes the validator
    read_body(to_json({"text": '{"a": "b "c" d",', "schema": {"type": "object"}, "explain": True}))
    with suppress(Problem):
        UNTYPED.written({})


def _contract(request: ParseRequest) -> HttpContract:
    known = known_contract(request, _SCHEMAS)
    return known or _SCHEMAS.compile(request.json_schema or {})


def _answer(request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object]) -> bytes:
    decoded = parsed.decoded
    parts = [b'{"data":', contract.written(parsed.value), b',"repairs":']
    parts.append(to_json([repair_json(repair) for repair in decoded.repairs]) if decoded.repairs else b"[]")
    if decoded.coercions:
        parts += [b',"coercions":', to_json(coercions_json(decoded.coercions))]
    if request.explain:
        parts += [b',"stages":', to_json(stages_json(stages_of(decoded.notes), request.text))]
    return b"".join((*parts, b"}"))


def _facts_of_refusal(request: ParseRequest, contract: HttpContract) -> dict[str, object]:
    if not request.explain:
        return {}
    reading = inspect(request.text, contract.dto_type, normalizers=contract.normalizers, finished=request.finished)
    refusing = reading.error.details["stage"] if reading.error else None
    return {"stages": stages_json(stages_of(reading.notes, refusing), request.text)}
