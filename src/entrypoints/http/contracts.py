"""What a text is parsed into: an agent's result, what a JSON Schema describes, or plain data."""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.problems import Problem, json_bytes
from src.entrypoints.http.requests import ParseRequest
from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.domain.options import NEEDING_TYPE
from src.shared.infrastructure.agents.agent_output import AgentOutput, plain_output, read_text
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import ParsedOutput, parse_at_once
from src.shared.infrastructure.view import has_sets, json_value

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
        return read_text(request.text, self.output, finished=request.finished, **self._label, **request.options)

    def read_at_once(self, request: ParseRequest, most_work: int) -> ParsedOutput[Any] | None:
        """Parse a short text if that takes little work; else None, and `read` parses it.

        Raises:
            LLMJsonParseError: it is refused.
        """
        asked: Any = {**(self.output.asked if self.output else self._label), **request.options}
        checked = self.type if self.output else None
        return parse_at_once(request.text, checked, finished=request.finished, most_work=most_work, spent=int, **asked)

    @property
    def _label(self) -> dict[str, Any]:
        """The label as an option, where no type brings it."""
        return {} if self.output else {"context_label": self.label}

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

    def __init__(self, most: int = MOST_SCHEMAS, most_bytes: int = MOST_SCHEMA_BYTES, *, explain: bool = True) -> None:
        """Keep none yet.

        Args:
            most: how many are kept.
            most_bytes: of their JSON, together.
            explain: whether they say why they refuse a value.
        """
        self._most, self._most_bytes, self._explain = most, most_bytes, explain
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
        if len(self._met) > self._most:
            self._met.popitem(last=False)

    def compile(self, schema: dict[str, Any]) -> HttpContract:
        """Compile a schema, and keep it.

        Raises:
            Problem: it cannot be used as a type; names the place.
        """
        began, key = time.thread_time(), to_json(schema)
        try:
            schema_type = JsonSchema(schema, explains=self._explain)
        except JsonSchemaError as error:
            raise schema_refused(error.place, error.reason) from None
        adapter_of(schema_type)
        is_quick = (
            len(key) <= QUICK_SCHEMA
            and not any(word in key for word in _SLOW_KEYWORDS)
            and schema_type.most_applied <= QUICK_APPLIED
            and time.thread_time() - began <= QUICK_COMPILE
        )
        contract = self._kept[key] = HttpContract("schema", plain_output(schema_type), is_quick=is_quick)
        while len(self._kept) > self._most or sum(map(len, self._kept)) > self._most_bytes:
            self._kept.popitem(last=False)
        return contract


def schema_refused(place: str, reason: object) -> Problem:
    """The problem of a schema that cannot be used as a type."""
    detail = Phrase("the schema cannot be used as a type: {place}: {reason}", place=place, reason=reason)
    return Problem(422, "SCHEMA_REFUSED", detail, facts={"place": place})


def contract_of(request: ParseRequest, schemas: SchemaContracts) -> HttpContract | None:
    """What a request's text is parsed into; None for a JSON Schema that has to be compiled.

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
        options = Phrase.joined("{one}, {other}", needing)
        detail = Phrase(
            "{options} must go with an agent or a schema: a type has to say what the answer is", options=options
        )
        raise Problem(422, "READING_NEEDS_TYPE", detail)
    return UNTYPED
