"""What a text is parsed into, and reading it: on the loop or in a process, the answer and what is told of it."""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.problems import Problem, json_bytes, refused
from src.entrypoints.http.requests import ParseRequest, parse_request
from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of
from src.shared.domain.caller import event_name
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.domain.options import NEEDING_TYPE, READ_AS
from src.shared.domain.outcome import TEXT_LIMIT
from src.shared.domain.ports.events import OutputParsed, parsed_event
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.read_as import ReadAs
from src.shared.infrastructure.agents.agent_output import AgentOutput, parsed_text, plain_output, read_text
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import ParsedOutput, parse_at_once
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.view import has_sets, json_value, view, view_steps

QUICK = 3_072
"""Characters of a text up to which the loop reads it; what costs more than a step for each of them is charged."""
QUICK_WORK = 20_000
"""Units of work, of 10 ns each, for searching and repairing such a text there: none of its length takes 5 ms."""
_QUICK_OPTIONS = frozenset({"several", *READ_AS, "coerce"})
"""Options that the loop reads texts with."""
_SLIPS = ('{"a": "b "c" d",', "<think>x</think>\n```json\n{“a”： True, b: 1, //\n\"c\": 'd',}\n```")
"""Texts with the slips that models make most: what reading them needs is loaded and compiled with its first use."""
MOST_SCHEMAS = 128
"""Compiled schemas that each process keeps."""
MOST_SCHEMA_BYTES = 4_194_304
"""Bytes of JSON of the schemas that each process keeps, together."""
QUICK_SCHEMA = 2_048
"""Bytes of a schema up to which the loop reads texts by it."""
QUICK_COMPILE = 0.002
"""Seconds of processor time that such a schema took to compile, at most, in the process that was the first to do it."""
QUICK_APPLIED = 20
"""Schemas that such a schema applies to one value, at most."""
_SLOW_KEYWORDS = (b'"pattern', b'"uniqueItems"')
"""What costs more than a step for each value: a schema with one of these is left to the processes."""
_DOUBTFUL = (b"NaN", b"Infinity")
"""How Pydantic writes what JSON has no word for, among other things; as a value of a model also as `null`."""


@dataclass(frozen=True)
class HttpContract:
    """What texts are parsed into, and how its values are written.

    Attributes:
        name: of the agent; `schema` for a JSON Schema, `untyped` for none.
        output: the type, its hooks and its label; None for plain data.
        is_quick: for a JSON Schema, whether it takes little time to compile it, and to see whether it takes a value.
    """

    name: str
    output: AgentOutput[Any] | None
    is_quick: bool = False

    @property
    def label(self) -> str:
        """The agent's title or the schema's name, for logs and the store."""
        return self.output.label if self.output else self.name

    @cached_property
    def type(self) -> AnswerType[Any]:
        """The type, whose validator is kept."""
        return self.output.checked_type if self.output else dict

    def read(self, request: ParseRequest) -> ParsedOutput[Any]:
        """Parse the text of a request.

        Raises:
            LLMJsonParseError: it is refused.
        """
        label = self.label
        return read_text(request.text, self.output, finished=request.finished, context_label=label, **request.options)

    def read_at_once(self, request: ParseRequest, most_work: int) -> ParsedOutput[Any] | None:
        """Parse a short text if that takes little work; else None, and `read` parses it.

        Raises:
            LLMJsonParseError: it is refused.
        """
        asked: Any = {**(self.output.asked if self.output else {}), "context_label": self.label, **request.options}
        checked = self.type if self.output else None
        return parse_at_once(request.text, checked, finished=request.finished, most_work=most_work, spent=int, **asked)

    def written(self, value: object) -> bytes:
        """A value as JSON.

        Raises:
            Problem: JSON has no word for a part of it: NaN, an infinity.
        """
        is_plain = self.output is None or isinstance(self.output.dto_type, SchemaType)
        with suppress(PydanticSerializationError):  # half of a surrogate pair
            if is_plain:
                quick, has_doubtful = to_json(value, inf_nan_mode="constants"), False
            else:
                quick = adapter_of(self.type).dump_json(value, by_alias=True)
                has_doubtful = has_sets(self.type) or b"null" in quick
            if not has_doubtful and not any(word in quick for word in _DOUBTFUL):
                return quick
        try:
            return json_bytes(value if is_plain else json_value(value, self.type), allow_nan=False)
        except (PydanticSerializationError, ValueError, TypeError, RecursionError):
            detail = Phrase("the value was read and cannot be written as JSON: it holds NaN or an infinity")
            raise Problem(422, "VALUE_NOT_JSON", detail, facts={"stage": "output"}) from None


UNTYPED = HttpContract("untyped", None)
"""What a text is read into where a request names no type."""


@cache
def agent_contract(name: str) -> HttpContract:
    """The contract of an agent.

    Raises:
        Problem: there is no such agent.
    """
    if name not in AGENTS:
        detail = Phrase("there is no such agent; the agents are: {names}", names=", ".join(AGENTS))
        raise Problem(422, "UNKNOWN_AGENT", detail)
    output = AGENTS[name].output
    return HttpContract(
        name, AgentOutput(output.label, output.checked_type, LLMJsonParseError, tuple(output.normalizers))
    )


class SchemaContracts:
    """The contracts of JSON Schemas, each compiled once and kept by its content; the least recently used goes first."""

    def __init__(self, *, explain: bool = True) -> None:
        """Keep none yet.

        Args:
            explain: whether they say why they refuse a value.
        """
        self._explain = explain
        self._kept: OrderedDict[bytes, HttpContract] = OrderedDict()
        self._met: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()

    def kept(self, schema: dict[str, Any]) -> HttpContract | None:
        """The contract of a schema if it is kept."""
        key = to_json(schema)
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def meet(self, schema: dict[str, Any]) -> None:
        """Compile a schema that is met for the second time; one that nobody sends again is not worth it."""
        mark = hash(to_json(schema))
        if mark in self._met:
            del self._met[mark]
            self.compile(schema)
            return
        self._met[mark] = None
        if len(self._met) > MOST_SCHEMAS:
            self._met.popitem(last=False)

    def compile(self, schema: dict[str, Any]) -> HttpContract:
        """Compile a schema, and keep it.

        Raises:
            Problem: it cannot be used as a type; names the place.
        """
        contract = compiled(schema, explain=self._explain)
        self.keep(schema, contract)
        return contract

    def keep(self, schema: dict[str, Any], contract: HttpContract) -> None:
        """Keep what a schema was compiled into."""
        self._kept[to_json(schema)] = contract
        while len(self._kept) > MOST_SCHEMAS or sum(map(len, self._kept)) > MOST_SCHEMA_BYTES:
            self._kept.popitem(last=False)


def compiled(schema: dict[str, Any], *, explain: bool) -> HttpContract:
    """The contract of a schema, which takes some time to compile.

    Args:
        schema: of the values.
        explain: whether it says why it refuses a value.

    Raises:
        Problem: it cannot be used as a type; names the place.
    """
    began, key = time.thread_time(), to_json(schema)
    try:
        schema_type = JsonSchema(schema, explains=explain)
    except JsonSchemaError as error:
        detail = Phrase(
            "the schema cannot be used as a type: {place}: {reason}", place=error.place, reason=error.reason
        )
        raise Problem(422, "SCHEMA_REFUSED", detail, facts={"place": error.place}) from None
    adapter_of(schema_type)
    is_quick = (
        len(key) <= QUICK_SCHEMA
        and not any(word in key for word in _SLOW_KEYWORDS)
        and schema_type.most_applied <= QUICK_APPLIED
        and time.thread_time() - began <= QUICK_COMPILE
    )
    return HttpContract("schema", plain_output(schema_type), is_quick=is_quick)


def contract_of(request: ParseRequest, schemas: SchemaContracts) -> HttpContract | None:
    """What a request's text is parsed into; None for a JSON Schema that has to be compiled.

    Raises:
        Problem: there is no such agent, or the request asks for what its type does not allow.
    """
    if "coerce" in request.options and request.agent is None and request.json_schema is None:
        detail = Phrase("coerce needs an agent or a schema: nothing else says what is meant")
        raise Problem(422, "COERCE_NEEDS_AGENT", detail)
    if request.agent is not None:
        return agent_contract(request.agent)
    if request.json_schema is not None:
        return schemas.kept(request.json_schema)
    needing = [name for name in request.options if name in NEEDING_TYPE]
    if needing:
        options = Phrase.joined("{one}, {other}", needing)
        detail = Phrase(
            "{options} must go with an agent or a schema: a type has to say what the answer is", options=options
        )
        raise Problem(422, "READING_NEEDS_TYPE", detail)
    return UNTYPED


_SCHEMAS = SchemaContracts()
"""What this process, if it is a reader, has compiled."""


class ParseAnswer(NamedTuple):
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


def read_at_once(request: ParseRequest, schemas: SchemaContracts) -> ParseAnswer | None:
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


def read_body(body: bytes) -> ParseAnswer:
    """Read the request of a body, in a process that can be ended."""
    try:
        request = parse_request(body)
        return read_request(request, process_contract(request))
    except Problem as problem:
        return ParseAnswer(problem)


def read_request(request: ParseRequest, contract: HttpContract) -> ParseAnswer:
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
) -> ParseAnswer:
    answer: bytes | Problem
    outcome: ParsedText[object] | LLMJsonParseError
    if isinstance(found, LLMJsonParseError):
        answer, outcome = refused(found, **_explained(request, contract) if request.explain else {}), found
    else:
        answer, outcome = _answer(request, contract, found), parsed_text(found.value, found.decoded)
    seconds = time.perf_counter() - began
    event = parsed_event(contract.label, request.text, outcome, prompt_id=request.prompt_id)
    return ParseAnswer(answer, contract.name, replace(event, model=event_name(request.model)), seconds)


def _answer(request: ParseRequest, contract: HttpContract, parsed: ParsedOutput[object]) -> bytes:
    shown = view(parsed)
    facts = {name: shown[name] for name in ("repairs", "grade")}
    if "keep" in request.options:
        facts["left_out"] = shown["left_out"]
    if shown["coercions"]:
        facts["coercions"] = shown["coercions"]
    if request.explain:
        facts["stages"] = view_steps(parsed.decoded, request.text)["stages"]
        facts["spans"] = parsed.decoded.spans()
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
    shown = view_steps(reading, request.text)
    return {"stages": shown["stages"], "repairs": shown["repairs"], "places": [*spots.values()]}
