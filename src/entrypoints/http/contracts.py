"""What a text is parsed into: an agent's result, what a JSON Schema describes, or plain data."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.problems import Problem, json_bytes
from src.entrypoints.http.requests import ParseRequest
from src.entrypoints.set_order import order_sets
from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of, json_schema_of
from src.shared.domain.coercion.lenient import coercing
from src.shared.domain.language import Message
from src.shared.domain.read_as import AS_JSON, ReadAs
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import (
    ParsedOutput,
    decode_llm_json,
    parse_at_once,
    parse_llm_json_output_with_trace,
)

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
    """A type, the hooks before it, and how its values are written.

    Attributes:
        name: of the agent; `schema` for a JSON Schema, `untyped` for none.
        label: the agent's title or the schema's name, for logs and the store.
        dto_type: what a text is parsed into; None for plain data.
        normalizers: hooks in front of it.
        read_as: what a request allows besides JSON.
        is_quick: for a JSON Schema, whether it takes little time to compile it, and to see whether it takes a value.
    """

    name: str
    label: str
    dto_type: AnswerType[Any] | None
    normalizers: Sequence[Normalizer] = ()
    is_quick: bool = False
    read_as: ReadAs = AS_JSON

    def read(self, request: ParseRequest) -> ParsedOutput[Any]:
        """Parse the text of a request.

        Raises:
            LLMJsonParseError: it is refused.
        """
        if self.dto_type is None:
            decoded = decode_llm_json(request.text, context_label=self.label, finished=request.finished)
            return ParsedOutput(decoded.data, decoded)
        asked: dict[str, Any] = request.model_dump(include={"finished", "keep", "accept", "timeout"})
        parsed: ParsedOutput[Any] = parse_llm_json_output_with_trace(
            request.text,
            self.dto_type,
            normalizers=self.normalizers,
            context_label=self.label,
            **asked,
            **self.read_as.arguments,
        )
        return parsed

    def read_at_once(self, text: str, *, finished: bool | None, most_work: int) -> ParsedOutput[Any] | None:
        """Parse a short text if that takes little work; else None, and `read` parses it.

        Raises:
            LLMJsonParseError: it is refused.
        """
        return parse_at_once(
            text,
            self.dto_type,
            normalizers=self.normalizers,
            context_label=self.label,
            finished=finished,
            read_as=self.read_as,
            most_work=most_work,
            spent=int,
        )

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
        return None if self._has_sets else self._adapter.dump_json(value, by_alias=True)

    def _written(self, value: object) -> bytes:
        """A value whose sets have to be put in order, or that may hold NaN, which Pydantic writes as null."""
        if self._is_plain:
            return json_bytes(value, allow_nan=False)
        data = self._adapter.dump_python(value, mode="json", by_alias=True)
        if self._has_sets:
            with suppress(TypeError):  # a set of models is no set of dictionaries: it stays as it is
                order_sets(data, self._adapter.dump_python(value, by_alias=True))
        return json_bytes(data, allow_nan=False)

    @cached_property
    def coerced(self) -> HttpContract:
        """The contract of an agent that reads values in another spelling as well."""
        return HttpContract(self.name, self.label, coercing(self._type), self.normalizers)

    def warm_up(self) -> None:
        """Make the validator."""
        _ = self._adapter

    @property
    def _type(self) -> AnswerType[Any]:
        return dict if self.dto_type is None else self.dto_type

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return adapter_of(self._type)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the values are plain data."""
        return self.dto_type is None or isinstance(self.dto_type, SchemaType)

    @cached_property
    def _doubtful(self) -> Sequence[bytes]:
        return _DOUBTFUL if self._is_plain else _DOUBTFUL_OF_MODELS

    @cached_property
    def _has_sets(self) -> bool:
        return "uniqueItems" in json.dumps(json_schema_of(self._type))


def agent_contract(name: str) -> HttpContract:
    """The contract of an agent; each is made once.

    Raises:
        Problem: there is no such agent.
    """
    found = _AGENTS.get(name)
    if found is None:
        if name not in AGENTS:
            names = ", ".join(AGENTS)
            detail = Message(f"没有这个智能体；可选：{names}", f"there is no such agent; the agents are: {names}")
            raise Problem(422, "UNKNOWN_AGENT", detail)
        output = AGENTS[name].output
        found = _AGENTS[name] = HttpContract(name, output.label, output.checked_type, tuple(output.normalizers))
    return found


_AGENTS: dict[str, HttpContract] = {}
UNTYPED = HttpContract("untyped", "untyped", None)
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
        contract = HttpContract(SCHEMA, schema_type.name, schema_type, is_quick=is_quick)
        if key not in self._kept:
            self._bytes += len(key)
        self._kept[key] = contract
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            gone, _ = self._kept.popitem(last=False)
            self._bytes -= len(gone)
        return contract


def _no_schema(error: JsonSchemaError) -> Problem:
    detail = Message(
        f"schema 不能作为类型：{error.place}：{error.reason.zh}",
        f"the schema cannot be used as a type: {error.place}: {error.reason.en}",
    )
    return Problem(422, "SCHEMA_REFUSED", detail, facts={"place": error.place})


def _no_json() -> Problem:
    detail = Message(
        "已读出，但其中有 JSON 无法表示的数（NaN 或无穷大）",
        "the value was read and cannot be written as JSON: it holds NaN or an infinity",
    )
    return Problem(422, "VALUE_NOT_JSON", detail, facts={"stage": "output"})
