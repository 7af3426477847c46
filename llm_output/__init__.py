"""Language-model output as typed objects: every public name of the parser, under a short name.

`parse_llm_json_output` returns the object, `parse_llm_json_output_with_trace` the object and how it was read, and
`decode_llm_json` the decoded data if there is no type. `LLMJsonStream` reads an answer while it is written.
`parse_tool_call` reads the arguments of a tool call, `read_tool_calls` the calls in a text.
`AgentOutput` combines a type, its normalizers and your own error class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from src.shared.domain.answer_type import AnswerType, SchemaType
from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.exceptions import AppException, LLMJsonParseError, Told
from src.shared.domain.language import Language, Message
from src.shared.domain.normalizer import Normalizer
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.ports.output_stream import OutputStream, Snapshot
from src.shared.domain.repair import Repair, RepairKind
from src.shared.domain.rules import Rule, RuleViolation
from src.shared.infrastructure.agents.agent_output import AgentOutput, ErrorType, plain_output
from src.shared.infrastructure.agents.normalizers import (
    each_object,
    fill_missing_text,
    null_to_empty_list,
    wrap_single_text,
)
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.json_schema.schema_error import JsonSchemaError
from src.shared.infrastructure.llm_json import (
    DecodedJson,
    ParsedOutput,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.parsing.notes import Note, Span

if TYPE_CHECKING:
    from src.shared.domain.coercion.lenient import (
        Amount,
        Lenient,
        LenientBool,
        LenientDate,
        LenientEnum,
        OneOrMany,
        OrNone,
        Percent,
        PercentPoints,
        coercing,
    )
    from src.shared.domain.coercion.numbers import NumberMeaning
    from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot, StreamState
    from src.shared.infrastructure.tool_calls import ToolCall, parse_tool_call, read_tool_calls
else:
    _LENIENT = ("Amount", "Lenient", "LenientBool", "LenientDate", "LenientEnum", "OneOrMany", "OrNone", "Percent")
    _LATER = {
        **dict.fromkeys((*_LENIENT, "PercentPoints", "coercing"), "src.shared.domain.coercion.lenient"),
        "NumberMeaning": "src.shared.domain.coercion.numbers",
        **dict.fromkeys(("LLMJsonStream", "StreamSnapshot", "StreamState"), "src.shared.infrastructure.llm_stream"),
        **dict.fromkeys(("ToolCall", "parse_tool_call", "read_tool_calls"), "src.shared.infrastructure.tool_calls"),
    }

    def __getattr__(name: str) -> object:
        """Import with its first use what a text that is whole and clean does not need."""
        if name not in _LATER:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        from importlib import import_module  # noqa: PLC0415 - see above

        return getattr(import_module(_LATER[name]), name)

    def __dir__() -> list[str]:
        """All names there are."""
        return sorted({*globals(), *_LATER})


__all__ = [
    "AgentOutput",
    "Amount",
    "AnswerType",
    "AppException",
    "Coercion",
    "CoercionKind",
    "DecodedJson",
    "ErrorType",
    "JsonSchema",
    "JsonSchemaError",
    "LLMJsonParseError",
    "LLMJsonStream",
    "Language",
    "Lenient",
    "LenientBool",
    "LenientDate",
    "LenientEnum",
    "Message",
    "Normalizer",
    "Note",
    "NumberMeaning",
    "OneOrMany",
    "OrNone",
    "OutputStream",
    "ParsedOutput",
    "ParsedText",
    "Percent",
    "PercentPoints",
    "Repair",
    "RepairKind",
    "Rule",
    "RuleViolation",
    "SchemaType",
    "Snapshot",
    "Span",
    "StreamSnapshot",
    "StreamState",
    "Told",
    "ToolCall",
    "coercing",
    "decode_llm_json",
    "each_object",
    "fill_missing_text",
    "null_to_empty_list",
    "parse_llm_json_output",
    "parse_llm_json_output_with_trace",
    "parse_tool_call",
    "plain_output",
    "read_tool_calls",
    "wrap_single_text",
]
