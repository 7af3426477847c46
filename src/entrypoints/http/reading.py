"""Reading one request, on the loop or in a process: the answer, and what is told of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

from pydantic_core import to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.contracts import UNTYPED, HttpContract, SchemaContracts, agent_contract
from src.entrypoints.http.problems import Problem, refused
from src.entrypoints.http.requests import ParseRequest, parse_request
from src.entrypoints.reports.stages import coercions_json, left_out_json, repair_json, stages_json, stages_of
from src.modules.monitoring.domain.outcome import TEXT_LIMIT
from src.shared.domain.caller import event_name
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.partial import Partial
from src.shared.domain.ports.events import OutputParsed, parsed_event
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.read_as import AS_JSON
from src.shared.infrastructure.agents.agent_output import parsed_text
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.parsing.inspection import inspect

QUICK = 3_072
"""Characters of a text up to which the loop reads it; what costs more than a step for each of them is charged."""
QUICK_WORK = 20_000
"""Units of work, of 10 ns each, for searching and repairing such a text there: none of its length takes 5 ms."""
_SLIPS = ('{"a": "b "c" d",', "<think>x</think>\n```json\n{“a”： True, b: 1, //\n\"c\": 'd',}\n```")
"""Texts with the slips that models make most: what reading them needs is loaded and compiled with its first use."""
_SCHEMAS = SchemaContracts()
"""What this process, if it is a reader, has compiled."""


class Reading(NamedTuple):
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


def read_at_once(request: ParseRequest, contract: HttpContract) -> Reading | None:
    """Read a request's text on the loop, if it is short and takes little work; else None, and `read_body` reads it.

    A text that a JSON Schema refuses is left, since the reasons may take long to find.
    """
    if len(request.text) > QUICK or request.explain or request.is_limited:
        return None
    began = time.perf_counter()
    try:
        parsed = contract.read_at_once(request.text, finished=request.finished, most_work=QUICK_WORK)
    except LLMJsonParseError as error:
        is_left = request.json_schema is not None and error.details["stage"] == "validate"
        return None if is_left else _refused(request, contract, error, began)
    return _read(request, contract, parsed, began) if parsed else None


def read_body(body: bytes) -> Reading:
    """Read the request of a body, in a process that can be ended."""
    try:
        request = parse_request(body)
        contract = _contract(request)
    except Problem as problem:
        return Reading(problem)
    reading = _reading(request, contract)
    text = reading.event.text if reading.event else None
    event = replace(reading.event, text=text[:TEXT_LIMIT]) if reading.event and text else reading.event
    return reading._replace(event=event, has_quick_schema=contract.is_quick)


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
        return _read_as(request, contract.coerced if request.coerce else contract)
    if request.json_schema is not None:
        kept = schemas.kept(request.json_schema)
        return kept and _read_as(request, kept)
    if request.is_limited or request.read_as != AS_JSON:
        asked = "keep, accept, timeout, unwrap, escapes, run_together"
        zh = f"{asked} 需要 agent 或 schema"
        en = f"{asked} need an agent or a schema: a type has to say what the answer is"
        raise Problem(422, "READING_NEEDS_TYPE", Message(zh, en))
    return UNTYPED


def _read_as(request: ParseRequest, contract: HttpContract) -> HttpContract:
    """The contract as the request asks for it; the same where it asks for nothing."""
    return contract if request.read_as == AS_JSON else replace(contract, read_as=request.read_as)


def schema_contract(schema: dict[str, object]) -> HttpContract:
    """The contract of a schema, compiled once in this process.

    Raises:
        Problem: it is no schema that can be taken.
    """
    return _SCHEMAS.kept(schema) or _SCHEMAS.compile(schema)


def warm_up() -> None:
    """Load everything that reading needs."""
    for name in AGENTS:
        agent_contract(name).warm_up()
    for text in _SLIPS:
        read_body(to_json({"text": text, "schema": {"type": "object"}, "explain": True}))
    _SCHEMAS.clear()  # compiling the first one took longer than it does


def _contract(request: ParseRequest) -> HttpContract:
    known = known_contract(request, _SCHEMAS)
    return known or _read_as(request, _SCHEMAS.compile(request.json_schema or {}))


def _reading(request: ParseRequest, contract: HttpContract) -> Reading:
    began = time.perf_counter()
    try:
        parsed = contract.read(request)
    except LLMJsonParseError as error:
        return _refused(request, contract, error, began)
    return _read(request, contract, parsed, began)


def _read(request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object], began: float) -> Reading:
    try:
        answer = _answer(request, contract, parsed)
    except Problem as problem:  # it cannot be written
        return Reading(problem)
    return _told(request, contract, parsed_text(parsed.value, parsed.decoded), answer, began)


def _refused(request: ParseRequest, contract: HttpContract, error: LLMJsonParseError, began: float) -> Reading:
    return _told(request, contract, error, refused(error, **_facts_of_refusal(request, contract)), began)


def _told(
    request: ParseRequest,
    contract: HttpContract,
    outcome: ParsedText[object] | LLMJsonParseError,
    answer: bytes | Problem,
    began: float,
) -> Reading:
    seconds = time.perf_counter() - began
    event = parsed_event(contract.label, request.text, outcome, prompt_id=request.prompt_id)
    return Reading(answer, contract.name, replace(event, model=event_name(request.model)), seconds)


def _answer(request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object]) -> bytes:
    decoded = parsed.decoded
    value = parsed.value.value if isinstance(parsed.value, Partial) else parsed.value
    parts = [b'{"data":', contract.written(value), b',"repairs":']
    parts.append(to_json([repair_json(repair) for repair in decoded.repairs]) if decoded.repairs else b"[]")
    parts += [b',"grade":"', decoded.grade.value.encode(), b'"']
    if isinstance(parsed.value, Partial):
        parts += [b',"left_out":', to_json(left_out_json(parsed.value.problems))]
    if decoded.coercions:
        parts += [b',"coercions":', to_json(coercions_json(decoded.coercions))]
    if request.explain:
        parts += [b',"stages":', to_json(stages_json(stages_of(decoded.notes), request.text))]
    return b"".join((*parts, b"}"))


def _facts_of_refusal(request: ParseRequest, contract: HttpContract) -> dict[str, object]:
    if not request.explain:
        return {}
    reading = inspect(
        request.text,
        contract.dto_type,
        normalizers=contract.normalizers,
        finished=request.finished,
        read_as=request.read_as,
    )
    refusing = reading.error.details["stage"] if reading.error else None
    return {"stages": stages_json(stages_of(reading.notes, refusing), request.text)}
