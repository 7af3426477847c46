"""Language-model output as typed objects: every public name of the parser, under a short name.

`parse_llm_json_output` returns the object, `parse_llm_json_output_with_trace` the object and how it was read, and
`decode_llm_json` the decoded data if there is no type. `LLMJsonStream` reads an answer while it is written.
`parse_tool_call` reads the arguments of a tool call, `read_tool_calls` the calls in a text, `contains_tool_call` tells
whether there are any.
`loads` and `load` are called as those of `json` and `json_repair` are.
`AgentOutput` combines a type, its normalizers and your own error class.

Beside these names the package has modules for the rest: `llm_output.asking`, `agents`, `events`, `store`, `otel`,
`visual_rag`, and one for each library that it works with, such as `llm_output.langchain`.

Raises:
    ImportError: a distribution of the former name is installed as well. Its files and those of this package overwrite
        each other, and removing it removes some of these.
"""

from __future__ import annotations

from pathlib import Path as _Path
from typing import TYPE_CHECKING

from src.shared.domain.answer_type import AnswerType, SchemaType
from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.exceptions import AppException, LLMJsonParseError, Told
from src.shared.domain.grade import Grade
from src.shared.domain.language import Language, Message
from src.shared.domain.options import DecodeOptions, ReadAsOptions, ReaderOptions, ReadOptions
from src.shared.domain.partial import Partial, PartProblem
from src.shared.domain.ports.output import OutputPort, OutputStream, ParsedText, Snapshot
from src.shared.domain.repair import Repair, RepairKind
from src.shared.domain.rules import Normalizer, Rule, RuleViolation
from src.shared.infrastructure.agents.agent_output import AgentOutput, ErrorType, plain_output
from src.shared.infrastructure.agents.normalizers import (
    each_object,
    fill_missing_text,
    null_to_empty_list,
    wrap_single_text,
)
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import (
    DecodedJson,
    ParsedOutput,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.parsing.state import Note, Span


def _check_alone(folder: _Path) -> None:
    """Raise an error if a distribution of the former name has its files of this package in the folder too."""
    if next(folder.glob("unified_llm_output_parser*.dist-info"), None):
        remove = "pip uninstall --yes unified-llm-output-parser unified-llm-output-parser-core llm-output"
        message = Message(
            f"旧名称的发行包也装在这里，它的文件会与 llm-output 的互相覆盖。请运行 `{remove}`，再重新安装 llm-output",
            "a distribution of the former name is installed too, and its files and those of llm-output overwrite each "
            f"other; run `{remove}`, then install llm-output again",
        )
        raise ImportError(message.text())


_check_alone(_Path(__file__).parents[1])

if TYPE_CHECKING:
    __version__: str

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
    from src.shared.domain.finish_reasons import finish_reason_of
    from src.shared.domain.ports.llm import FinishReason
    from src.shared.domain.read_as import ReadAs, reading_as
    from src.shared.domain.strict_schema import NotStrictError, strict_schema
    from src.shared.domain.type_description import describe_type
    from src.shared.infrastructure.finish_fields import finished_by
    from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot, StreamState
    from src.shared.infrastructure.loads import LLMJsonDecodeError, from_file, load, loads, repair_json
    from src.shared.infrastructure.tool_call_stream import ToolCallSnapshot, ToolCallStream
    from src.shared.infrastructure.tool_calls import ToolCall, contains_tool_call, parse_tool_call, read_tool_calls
else:

    def __getattr__(name: str) -> object:  # noqa: C901, PLR0912 - a case for each module
        """Import with its first use what a text that is whole and clean does not need; look up the version then, too.

        By statements, not by names in strings: a copy under another import root has its imports rewritten.
        """
        match name:
            case "Amount" | "Lenient" | "LenientBool" | "LenientDate" | "LenientEnum" | "OneOrMany" | "OrNone":
                from src.shared.domain.coercion import lenient as home  # noqa: PLC0415
            case "Percent" | "PercentPoints" | "coercing":
                from src.shared.domain.coercion import lenient as home  # noqa: PLC0415
            case "NumberMeaning":
                from src.shared.domain.coercion import numbers as home  # noqa: PLC0415
            case "FinishReason" | "finish_reason_of":
                from src.shared.domain import finish_reasons as home  # noqa: PLC0415
            case "ReadAs" | "reading_as":
                from src.shared.domain import read_as as home  # noqa: PLC0415
            case "NotStrictError" | "strict_schema":
                from src.shared.domain import strict_schema as home  # noqa: PLC0415
            case "describe_type":
                from src.shared.domain import type_description as home  # noqa: PLC0415
            case "finished_by":
                from src.shared.infrastructure import finish_fields as home  # noqa: PLC0415
            case "LLMJsonStream" | "StreamSnapshot" | "StreamState":
                from src.shared.infrastructure import llm_stream as home  # noqa: PLC0415
            case "LLMJsonDecodeError" | "from_file" | "load" | "loads" | "repair_json":
                from src.shared.infrastructure import loads as home  # noqa: PLC0415
            case "ToolCallSnapshot" | "ToolCallStream":
                from src.shared.infrastructure import tool_call_stream as home  # noqa: PLC0415
            case "ToolCall" | "contains_tool_call" | "parse_tool_call" | "read_tool_calls":
                from src.shared.infrastructure import tool_calls as home  # noqa: PLC0415
            case "__version__":
                from src.shared.infrastructure.distribution import installed_version  # noqa: PLC0415

                return installed_version()
            case _:
                message = f"module {__name__!r} has no attribute {name!r}"
                raise AttributeError(message)
        return getattr(home, name)

    def __dir__() -> list[str]:
        """All names there are."""
        return sorted({*globals(), *__all__})


__all__ = [
    "AgentOutput",
    "Amount",
    "AnswerType",
    "AppException",
    "Coercion",
    "CoercionKind",
    "DecodeOptions",
    "DecodedJson",
    "ErrorType",
    "FinishReason",
    "Grade",
    "JsonSchema",
    "JsonSchemaError",
    "LLMJsonDecodeError",
    "LLMJsonParseError",
    "LLMJsonStream",
    "Language",
    "Lenient",
    "LenientBool",
    "LenientDate",
    "LenientEnum",
    "Message",
    "Normalizer",
    "NotStrictError",
    "Note",
    "NumberMeaning",
    "OneOrMany",
    "OrNone",
    "OutputPort",
    "OutputStream",
    "ParsedOutput",
    "ParsedText",
    "PartProblem",
    "Partial",
    "Percent",
    "PercentPoints",
    "ReadAs",
    "ReadAsOptions",
    "ReadOptions",
    "ReaderOptions",
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
    "ToolCallSnapshot",
    "ToolCallStream",
    "coercing",
    "contains_tool_call",
    "decode_llm_json",
    "describe_type",
    "each_object",
    "fill_missing_text",
    "finish_reason_of",
    "finished_by",
    "from_file",
    "load",
    "loads",
    "null_to_empty_list",
    "parse_llm_json_output",
    "parse_llm_json_output_with_trace",
    "parse_tool_call",
    "plain_output",
    "read_tool_calls",
    "reading_as",
    "repair_json",
    "strict_schema",
    "wrap_single_text",
]
