"""What a text is parsed into: an agent's result, what a JSON Schema describes, or plain data."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.problems import Problem, json_bytes
from src.entrypoints.http.requests import ParseRequest
from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
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
"""How Pydantic writes what JSON has no word for, among other things."""
_DOUBTFUL_OF_MODELS = (b"null", *_DOUBTFUL)
"""The same for the values of models."""
SCHEMA = "schema"
"""What stands for the agent in metrics, where a text is parsed by a JSON Schema."""


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

    def read(self, request: ParseRequest) -> ParsedOutput[Any]:
        """Parse the text of a request.

        Raises:
            LLMJsonParseError: it is refused.
        """
        label: dict[str, Any] = {} if self.output else {"context_label": self.label}
        return read_text(request.text, self.output, finished=request.finished, **label, **request.options)

    def read_at_once(self, request: ParseRequest, *, most_work: int) -> ParsedOutput[Any] | None:
        """Parse a short text if that takes little work; else None, and `read` parses it.

        Raises:
            LLMJsonParseError: it is refused.
        """
        asked: Any = {**(self.output.asked if self.output else {"context_label": self.label}), **request.options}
        checked = self.output.checked_type if self.output else None
        return parse_at_once(request.text, checked, finished=request.finished, most_work=most_work, spent=int, **asked)

    def written(self, value: object) -> bytes:
        """A value as JSON.

        Raises:
            Problem: JSON has no word for a part of it: NaN, an infinity.
        """
        with suppress(PydanticSerializationError):  # half of a surrogate pair
            quick = self._quickly(value)
            if quick is not None and not any(word in quick for word in self._doubtful):
                return quick
        try:
            return self._written(value)
        except (PydanticSerializationError, ValueError, TypeError, RecursionError):
            raise _no_json() from None

    def _quickly(self, value: object) -> bytes | None:
        if self._is_plain:
            return to_json(value, inf_nan_mode="constants")
        return None if has_sets(self._type) else adapter_of(self._type).dump_json(value, by_alias=True)

    def _written(self, value: object) -> bytes:
        """A value whose sets have to be put in order, or that may hold NaN, which Pydantic writes as null."""
        return json_bytes(value if self._is_plain else json_value(value, self._type), allow_nan=False)

    def warm_up(self) -> None:
        """Make the validator."""
        adapter_of(self._type)

    @property
    def _type(self) -> AnswerType[Any]:
        return dict if self.output is None else self.output.checked_type

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the values are plain data."""
        return self.output is None or isinstance(self.output.dto_type, SchemaType)

    @cached_property
    def _doubtful(self) -> Sequence[bytes]:
        return _DOUBTFUL if self._is_plain else _DOUBTFUL_OF_MODELS


def agent_contract(name: str) -> HttpContract:
    """The contract of an agent; each is made once.

    Raises:
        Problem: there is no such agent.
    """
    found = _AGENTS.get(name)
    if found is None:
        if name not in AGENTS:
            names = ", ".join(AGENTS)
            detail = Phrase("there is no such agent; the agents are: {names}", names=names)
            raise Problem(422, "UNKNOWN_AGENT", detail)
        output = AGENTS[name].output
        plain = AgentOutput(output.label, output.checked_type, LLMJsonParseError, tuple(output.normalizers))
        found = _AGENTS[name] = HttpContract(name, plain)
    return found


_AGENTS: dict[str, HttpContract] = {}
UNTYPED = HttpContract("untyped", None)
"""What a text is read into where a request names no type."""


class SchemaContracts:
    """The contracts of JSON Schemas, each compiled once and kept by its content; the least recently used goes first."""

    def __init__(self, most: int = MOST_SCHEMAS, most_bytes: int = MOST_SCHEMA_BYTES, *, explain: bool = True) -> None:
        """Keep none yet.

        Args:
            most: how many are kept.
            most_bytes: of their JSON, together.
            explain: whether they say why they refuse a value.
        """
        self._explain = explain
        self._most, self._most_bytes, self._bytes = most, most_bytes, 0
        self._kept: OrderedDict[bytes, HttpContract] = OrderedDict()
        self._met: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()
        self._bytes = 0

    def kept(self, schema: dict[str, Any]) -> HttpContract | None:
        """The contract of a schema if it is kept."""
        key = to_json(schema)
        contract = self._kept.get(key)
        if contract:
            self._kept.move_to_end(key)
        return contract

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
            Problem: it is no schema that can be taken; names the place.
        """
        began, key = time.thread_time(), to_json(schema)
        try:
            schema_type = JsonSchema(schema, explains=self._explain)
        except JsonSchemaError as error:
            raise _no_schema(error) from None
        adapter_of(schema_type)
        is_quick = (
            len(key) <= QUICK_SCHEMA
            and not any(word in key for word in _SLOW_KEYWORDS)
            and schema_type.most_applied <= QUICK_APPLIED
            and time.thread_time() - began <= QUICK_COMPILE
        )
        contract = HttpContract(SCHEMA, plain_output(schema_type), is_quick=is_quick)
        if key not in self._kept:
            self._bytes += len(key)
        self._kept[key] = contract
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            gone, _ = self._kept.popitem(last=False)
            self._bytes -= len(gone)
        return contract


def _no_schema(error: JsonSchemaError) -> Problem:
    detail = Phrase("the schema cannot be used as a type: {place}: {reason}", place=error.place, reason=error.reason)
    return Problem(422, "SCHEMA_REFUSED", detail, facts={"place": error.place})


def _no_json() -> Problem:
    detail = Phrase("the value was read and cannot be written as JSON: it holds NaN or an infinity")
    return Problem(422, "VALUE_NOT_JSON", detail, facts={"stage": "output"})
