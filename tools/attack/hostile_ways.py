"""Ways of reading a hostile text: each is given the text, and what it gives is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.shared.domain.strict_schema import NotStrictError, strict_schema
from src.shared.domain.type_description import describe_type
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import contains_tool_call, read_tool_calls
from tests.streamed import pieces
from tools.attack.growth import Row, run
from tools.attack.hostile_parts import SCHEMA_NAMES

KILOBYTE = 1_024
TOOLS = {"f": Row, "search": Row}
_NESTED = 24
_DEEP = 100
"""Levels of an answer that goes down to the last of the definitions of a schema of 8 KB."""
ANSWERS = (
    '{"a": [' + '{"a": [{"key": ' * _NESTED + '"x"' + "}]}" * _NESTED + '], "b": {"k1": 1}, "rows": []}',
    *(f'{{"{name}": ' * _DEEP + '"x"' + "}" * _DEEP for name in SCHEMA_NAMES),
    *(f"{opens * _DEEP}1{closes * _DEEP}" for opens, closes in (("[", "]"), ('[{"a": ', "}]"), ('{"a": [', "]}"))),
)
"""What is read into a schema: values of every sort, and deep ones: a schema may take each level several times."""


class Way(NamedTuple):
    """A way of reading, and the bytes of the longest text.

    Of one that is read in linear time the longest takes well below the bound.
    """

    read: Callable[[str], object]
    longest: int = 128 * KILOBYTE


def _streamed(text: str, size: int) -> object:
    """Feed a text in pieces of this size, look at each snapshot, and close."""
    stream: LLMJsonStream[Any] = LLMJsonStream(Row)
    for piece in pieces(text, (size,)):
        stream.feed(piece).data  # noqa: B018 - it is worked out when it is looked at
    return stream.close(None)


def _streamed_calls(text: str, size: int) -> object:
    """Feed a text in pieces of this size to a stream of calls, and close."""
    stream = ToolCallStream(TOOLS)
    for piece in pieces(text, (size,)):
        stream.feed(piece)
    return stream.close(None)


def _compiled(text: str) -> object:
    """Make a type of a schema, tell a model of it, and read texts into it."""
    try:
        schema = json.loads(text)
        dto_type = JsonSchema(schema)
    except (JsonSchemaError, ValueError, RecursionError):
        return None
    with suppress(NotStrictError, ValueError, RecursionError):
        strict_schema(schema)
    return describe_type(dto_type), [
        run(lambda answer: parse_llm_json_output(answer, dto_type), one) for one in ANSWERS
    ]


TEXTS = {
    "decode": Way(decode_llm_json),
    "decode, finished": Way(lambda text: decode_llm_json(text, finished=True)),
    "parse": Way(lambda text: parse_llm_json_output(text, Row)),
    "parse a list, coercing": Way(lambda text: parse_llm_json_output(text, list[Row], coerce=True, finished=True)),
    "parse with a trace": Way(lambda text: parse_llm_json_output_with_trace(text, Row)),
    "stream by 8": Way(lambda text: _streamed(text, 8), 32 * KILOBYTE),
    "stream by 64": Way(lambda text: _streamed(text, 64)),
    "read_tool_calls": Way(lambda text: read_tool_calls(text, TOOLS)),
    "read_tool_calls, finished": Way(lambda text: read_tool_calls(text, TOOLS, finished=True)),
    "contains_tool_call": Way(contains_tool_call),
    "contains_tool_call, with tools": Way(lambda text: contains_tool_call(text, TOOLS)),
    "tool-call stream by 1": Way(lambda text: _streamed_calls(text, 1), 8 * KILOBYTE),
    "tool-call stream by 16": Way(lambda text: _streamed_calls(text, 16), 32 * KILOBYTE),
    "tool-call stream by 4096": Way(lambda text: _streamed_calls(text, 4096)),
    "parse_action": Way(parse_action),
    "parse_action, finished": Way(lambda text: parse_action(text, finished=True)),
}
SCHEMAS = {"schema": Way(_compiled, 32 * KILOBYTE)}
WAYS = TEXTS | SCHEMAS
