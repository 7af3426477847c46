"""What a text is parsed into: an agent's result, or what a JSON Schema describes."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, to_json

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.problems import Problem
from src.entrypoints.set_order import order_sets
from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of, json_schema_of
from src.shared.domain.coercion.lenient import coercing
from src.shared.domain.language import Message
from src.shared.domain.normalizer import Normalizer
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.json_schema.schema_error import JsonSchemaError
from src.shared.infrastructure.llm_json import ParsedOutput, parse_at_once, parse_llm_json_output_with_trace

MOST_SCHEMAS = 128
"""Compiled schemas that each worker keeps."""
MOST_SCHEMA_BYTES = 4_194_304
"""Bytes of JSON of the schemas that each worker keeps, together."""
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
        name: of the agent; `schema` for a JSON Schema.
        label: the agent's title or the schema's name, for logs and the store.
        dto_type: what a text is parsed into.
        normalizers: hooks in front of it.
        size: bytes of the schema that a client sent; 0 for an agent's type.
    """

    name: str
    label: str
    dto_type: AnswerType[Any]
    normalizers: Sequence[Normalizer] = ()
    size: int = 0

    def read(self, text: str, *, finished: bool | None) -> ParsedOutput[Any]:
        """Parse a text.

        Raises:
            LLMJsonParseError: it is refused.
        """
        return parse_llm_json_output_with_trace(
            text, self.dto_type, normalizers=self.normalizers, context_label=self.label, finished=finished
        )

    def read_at_once(
        self, text: str, *, finished: bool | None, most_work: int, spent: Callable[[int], object]
    ) -> ParsedOutput[Any] | None:
        """Parse a text if that takes little work; else None, and `read` parses it. `spent` is told of the work.

        Raises:
            LLMJsonParseError: it is refused.
        """
        return parse_at_once(
            text,
            self.dto_type,
            normalizers=self.normalizers,
            context_label=self.label,
            finished=finished,
            most_work=most_work,
            spent=spent,
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
        if self._is_schema:
            return to_json(value, inf_nan_mode="constants")
        return None if self._has_sets else self._adapter.dump_json(value, by_alias=True)

    def _written(self, value: object) -> bytes:
        """A value whose sets have to be put in order, or that may hold NaN, which Pydantic writes as null."""
        data = self._adapter.dump_python(value, mode="json", by_alias=True)
        if self._has_sets:
            with suppress(TypeError):  # a set of models is no set of dictionaries: it stays as it is
                order_sets(data, self._adapter.dump_python(value, by_alias=True))
        return _strict(data)

    @cached_property
    def coerced(self) -> HttpContract:
        """The contract of an agent that reads values in another spelling as well."""
        return HttpContract(self.name, self.label, coercing(self.dto_type), self.normalizers)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return adapter_of(self.dto_type)

    @cached_property
    def _is_schema(self) -> bool:
        """Whether the values are plain data."""
        return isinstance(self.dto_type, SchemaType)

    @cached_property
    def _doubtful(self) -> Sequence[bytes]:
        return _DOUBTFUL if self._is_schema else _DOUBTFUL_OF_MODELS

    @cached_property
    def _has_sets(self) -> bool:
        return not self._is_schema and "uniqueItems" in json.dumps(json_schema_of(self.dto_type))


def _strict(data: object) -> bytes:
    """JSON without NaN; half of a surrogate pair, which UTF-8 cannot hold, is an escape."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()


def agent_contract(name: str) -> HttpContract:
    """The contract of an agent; each is made once.

    Raises:
        Problem: there is no such agent.
    """
    found = _AGENTS.get(name)
    if found is None:
        if name not in AGENTS:
            raise _no_agent()
        output = AGENTS[name].output
        found = _AGENTS[name] = HttpContract(name, output.label, output.checked_type, tuple(output.normalizers))
    return found


_AGENTS: dict[str, HttpContract] = {}


class SchemaContracts:
    """The contracts of JSON Schemas, each compiled once and kept by its content; the least recently used goes first."""

    def __init__(self, most: int = MOST_SCHEMAS, most_bytes: int = MOST_SCHEMA_BYTES) -> None:
        self._most, self._most_bytes, self._bytes = most, most_bytes, 0
        self._kept: OrderedDict[bytes, HttpContract] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def kept(self, schema: dict[str, Any]) -> tuple[bytes, HttpContract | None]:
        """The key of a schema, and its contract if it is kept."""
        key = to_json(schema)
        with self._lock:
            contract = self._kept.get(key)
            if contract:
                self._kept.move_to_end(key)
        return key, contract

    def compile(self, key: bytes, schema: dict[str, Any]) -> HttpContract:
        """Compile a schema, and keep it.

        Raises:
            Problem: it is no schema that can be taken; names the place.
        """
        try:
            schema_type = JsonSchema(schema)
        except JsonSchemaError as error:
            raise _no_schema(error) from None
        contract = HttpContract(SCHEMA, schema_type.name, schema_type, size=len(key))
        adapter_of(schema_type)
        with self._lock:
            if key not in self._kept:
                self._bytes += len(key)
            self._kept[key] = contract
            while len(self._kept) > self._most or self._bytes > self._most_bytes:
                gone, _ = self._kept.popitem(last=False)
                self._bytes -= len(gone)
        return contract


def _no_agent() -> Problem:
    names = ", ".join(AGENTS)
    detail = Message(f"没有这个智能体；可选：{names}", f"there is no such agent; the agents are: {names}")
    return Problem(422, "UNKNOWN_AGENT", detail)


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
