"""Whole replies: the answer, or the tool calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from src.integrations.openai_sdk.answers import answer_of
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.normalizer import Normalizer
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing.state import Several
from src.shared.infrastructure.tool_calls import ToolCall, parse_named_call, read_tool_calls

T = TypeVar("T")


def parse_completion(
    completion: ChatCompletion | Response,
    dto_type: AnswerType[T],
    *,
    choice: int = 0,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    several: Several = "refuse",
    coerce: bool = False,
) -> T:
    """The typed object in what `chat.completions.create` or `responses.create` returned.

    Args:
        completion: the reply.
        dto_type: any type the parser takes.
        choice: which of several choices, where `n` asked for more than one.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`.
        several: as for `parse_llm_json_output`.
        coerce: as for `parse_llm_json_output`.

    Raises:
        LLMJsonParseError: the text is refused, or was cut off at the length limit, or there is none.
        ModelRefusalError: the model declined to answer.
        LLMContentRefusedError: a content filter stopped the answer.
        LLMServerError: the provider broke off in the middle of it.
        LLMReplyError: the reply has no such choice.
        TypeError: as for `parse_llm_json_output`.

    .. versionadded:: 0.1.0
    """
    answer = answer_of(completion, choice)
    return parse_llm_json_output(
        answer.text,
        dto_type,
        normalizers=normalizers,
        context_label=context_label,
        finished=answer.reason.finished,
        several=several,
        coerce=coerce,
    )


def parse_tool_calls(
    completion: ChatCompletion | Response,
    tools: Mapping[str, AnswerType[Any]],
    *,
    choice: int = 0,
    written: bool = False,
    coerce: bool = False,
) -> tuple[ToolCall, ...]:
    """The tool calls of a reply, the arguments of each as an object of its tool's type.

    Args:
        completion: the reply.
        tools: the type of the arguments of each tool, by the tool's name.
        choice: as for `parse_completion`.
        written: whether calls that stand in the text count, too, if the reply has no others: of a model whose server
            does not tell them apart.
        coerce: as for `parse_llm_json_output`.

    Raises:
        LLMJsonParseError: arguments are refused, or the reply was cut off, or there is no such tool.
        ModelRefusalError, LLMContentRefusedError, LLMServerError, LLMReplyError, TypeError: as for `parse_completion`.

    .. versionadded:: 0.1.0
    """
    answer = answer_of(completion, choice)
    finished = answer.reason.finished
    if written and not answer.calls:
        return read_tool_calls(answer.text, tools, finished=finished, coerce=coerce)
    return tuple(
        parse_named_call(call.name, call.arguments, tools, id_=call.id, finished=finished, coerce=coerce)
        for call in answer.calls
    )
