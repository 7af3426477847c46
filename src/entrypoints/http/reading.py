"""Reading one request, on the loop or in a process: the answer, and what is told of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic_core import to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.contracts import UNTYPED, HttpContract, SchemaContracts, agent_contract
from src.entrypoints.http.problems import Problem, refused
from src.entrypoints.http.requests import ParseRequest, parse_request
from src.shared.domain.caller import event_name
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.domain.options import NEEDING_TYPE, READ_AS
from src.shared.domain.outcome import TEXT_LIMIT
from src.shared.domain.ports.events import OutputParsed, parsed_event
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.read_as import ReadAs
from src.shared.infrastructure.agents.agent_output import parsed_text
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.view import stages_json, stages_of, view

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


def read_at_once(request: ParseRequest, contract: HttpContract) -> Reading | None:
    """Read a request's text on the loop, if it is short and takes little work; else None, and `read_body` reads it.

    A text that a JSON Schema refuses is left, since the reasons may take long to find.
    """
    if len(request.text) > QUICK or request.explain or not _QUICK_OPTIONS.issuperset(request.options):
        return None
    began = time.perf_counter()
    try:
        parsed = contract.read_at_once(request, most_work=QUICK_WORK)
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
    if "coerce" in request.options and request.agent is None:
        detail = Phrase("coerce needs an agent: nothing else says what a value means")
        raise Problem(422, "COERCE_NEEDS_AGENT", detail)
    if request.agent is not None:
        return agent_contract(request.agent)
    if request.json_schema is not None:
        return schemas.kept(request.json_schema)
    needing = [name for name in request.options if name in NEEDING_TYPE]
    if needing:
        detail = Phrase(
            "{options} must go with an agent or a schema: a type has to say what the answer is",
            options=Phrase.joined("{one}, {other}", needing),
        )
        raise Problem(422, "READING_NEEDS_TYPE", detail)
    return UNTYPED


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
    return known_contract(request, _SCHEMAS) or _SCHEMAS.compile(request.json_schema or {})


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
    told = view(parsed)
    facts = {name: told[name] for name in ("repairs", "grade")}
    if "keep" in request.options:
        facts["left_out"] = told["left_out"]
    if told["coercions"]:
        facts["coercions"] = told["coercions"]
    if request.explain:
        facts["stages"] = stages_json(stages_of(parsed.decoded.notes), request.text)
    return b'{"data":%b,%b' % (contract.written(parsed.kept.value), to_json(facts)[1:])


def _facts_of_refusal(request: ParseRequest, contract: HttpContract) -> dict[str, object]:
    if not request.explain:
        return {}
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
    refusing = reading.error.details["stage"] if reading.error else None
    return {"stages": stages_json(stages_of(reading.notes, refusing), request.text)}
