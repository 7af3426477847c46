"""Reading one request, on the loop or in a process: the answer, and what is told of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic_core import to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.contracts import HttpContract, SchemaContracts, agent_contract, contract_of
from src.entrypoints.http.problems import Problem, refused
from src.entrypoints.http.requests import ParseRequest, parse_request
from src.modules.monitoring.domain.outcome import TEXT_LIMIT
from src.shared.domain.answer_type import adapter_of
from src.shared.domain.caller import event_name
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.options import READ_AS
from src.shared.domain.ports.events import OutputParsed, parsed_event
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.read_as import ReadAs
from src.shared.infrastructure.agents.agent_output import parsed_text
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.view import repair_json, stages_json, stages_of, view

QUICK = 3_072
"""Characters of a text up to which the loop reads it; what costs more than a step for each of them is charged."""
QUICK_WORK = 20_000
"""Units of work, of 10 ns each, for searching and repairing such a text there: none of its length takes 5 ms."""
_QUICK_OPTIONS = frozenset({"several", *READ_AS, "coerce"})
"""Options that the loop reads texts with."""
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


def read_at_once(request: ParseRequest, schemas: SchemaContracts) -> Reading | None:
    """Read a request's text on the loop, if it is short and takes little work; else None, and `read_body` reads it.

    A text that a JSON Schema refuses is left, since the reasons may take long to find.

    Raises:
        Problem: the request asks for what there is not.
    """
    contract = contract_of(request, schemas)
    is_long = len(request.text) > QUICK or request.explain or not _QUICK_OPTIONS.issuperset(request.options)
    if contract is None or is_long:
        return None
    began = time.perf_counter()
    try:
        parsed = contract.read_at_once(request, QUICK_WORK)
    except LLMJsonParseError as error:
        is_left = request.json_schema is not None and error.details["stage"] == "validate"
        return None if is_left else _reading(request, contract, error, began)
    return _reading(request, contract, parsed, began) if parsed else None


def read_body(body: bytes) -> Reading:
    """Read the request of a body, in a process that can be ended."""
    try:
        request = parse_request(body)
        return read_request(request, process_contract(request))
    except Problem as problem:
        return Reading(problem)


def read_request(request: ParseRequest, contract: HttpContract) -> Reading:
    """Read the text of a request, however long it takes.

    Raises:
        Problem: the value cannot be written.
    """
    began = time.perf_counter()
    try:
        reading = _reading(request, contract, contract.read(request), began)
    except LLMJsonParseError as error:
        reading = _reading(request, contract, error, began)
    event = reading.event
    if event and event.text:
        event = replace(event, text=event.text[:TEXT_LIMIT])
    return reading._replace(event=event, has_quick_schema=contract.is_quick)


def process_contract(request: ParseRequest) -> HttpContract:
    """What a request's text is parsed into; a schema is compiled once in this process.

    Raises:
        Problem: as for `contract_of`, or the schema cannot be used.
    """
    return contract_of(request, _SCHEMAS) or _SCHEMAS.compile(request.json_schema or {})


def warm_up() -> None:
    """Load everything that reading needs."""
    for name in AGENTS:
        adapter_of(agent_contract(name).type)
    for text in _SLIPS:
        read_body(to_json({"text": text, "schema": {"type": "object"}, "explain": True}))
    _SCHEMAS.clear()  # compiling the first one took longer than it does


def _reading(
    request: ParseRequest, contract: HttpContract, found: ParsedOutput[object] | LLMJsonParseError, began: float
) -> Reading:
    answer: bytes | Problem
    outcome: ParsedText[object] | LLMJsonParseError
    if isinstance(found, LLMJsonParseError):
        answer, outcome = refused(found, **_explained(request, contract) if request.explain else {}), found
    else:
        answer, outcome = _answer(request, contract, found), parsed_text(found.value, found.decoded)
    seconds = time.perf_counter() - began
    event = parsed_event(contract.label, request.text, outcome, prompt_id=request.prompt_id)
    return Reading(answer, contract.name, replace(event, model=event_name(request.model)), seconds)


def _answer(request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object]) -> bytes:
    shown = view(parsed)
    facts = {name: shown[name] for name in ("repairs", "grade")}
    if "keep" in request.options:
        facts["left_out"] = shown["left_out"]
    if shown["coercions"]:
        facts["coercions"] = shown["coercions"]
    if request.explain:
        facts["stages"] = stages_json(stages_of(parsed.decoded.notes), request.text)
    try:
        data = contract.written(parsed.kept.value)
    except Problem as problem:
        problem.facts |= facts if request.explain else {}
        raise
    return b'{"data":%b,%b' % (data, to_json(facts)[1:])


def _explained(request: ParseRequest, contract: HttpContract) -> dict[str, Any]:
    """How far a refused text was read: the stages, what was repaired, and every place that the refusal is about."""
    output = contract.output
    asked: Any = {name: value for name, value in request.options.items() if name in READ_AS}
    reading = inspect(
        request.text,
        output and output.checked_type,
        normalizers=output.normalizers if output else (),
        finished=request.finished,
        coerce="coerce" in request.options,
        read_as=ReadAs(**asked),
    )
    details = reading.error.details if reading.error else {}
    places = details.get("candidates") or details.get("validation_places") or [details.get("position")]
    spots = {place["offset"]: {name: place[name] for name in ("line", "column", "offset")} for place in places if place}
    return {
        "stages": stages_json(stages_of(reading.notes, details.get("stage")), request.text),
        "repairs": [repair_json(repair) for repair in reading.repairs],
        "places": [*spots.values()],
    }
