"""The parser for pydantic-ai: `Agent(model, output_type=unified_output(Review), capabilities=[RepairedToolCalls()])`.

A reply that is refused becomes a `ModelRetry` with the text for the next try, so that the agent's own retries ask
again. pydantic-ai gives an output function the text alone: reasoning parts are never read.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, Unpack, overload

from src.shared.domain.answer_type import AnswerType, adapter_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Phrase
from src.shared.domain.options import Keep, KeepingOptions, ReaderOptions, takes
from src.shared.domain.partial import Partial
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.read_as import told_scalar
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.llm_json import ParsedOutput, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.tool_arguments import BoundTools

with needs_package("pydantic-ai"):
    from pydantic_ai import ModelMessage, ModelResponse, ModelRetry, RunContext, TextOutput
    from pydantic_ai.capabilities import AbstractCapability, WrapOutputValidateHandler, WrapToolValidateHandler
    from pydantic_ai.capabilities.abstract import RawOutput, RawToolArgs, ValidatedToolArgs
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.output import OutputContext
    from pydantic_ai.result import StreamedRunResult
    from pydantic_ai.tools import ToolDefinition

T = TypeVar("T")

__all__ = ["RepairedToolCalls", "output_instructions", "stream_snapshots", "unified_output"]

_NOT_WHOLE_YET = Phrase("the answer is not whole yet")


@overload
def unified_output(
    dto_type: AnswerType[T], *, keep: None = None, **options: Unpack[ReaderOptions]
) -> TextOutput[T]: ...


@overload
def unified_output(
    dto_type: AnswerType[T], *, keep: Keep, **options: Unpack[ReaderOptions]
) -> TextOutput[Partial[T]]: ...


@takes(KeepingOptions)
def unified_output(dto_type: AnswerType[Any], **options: Unpack[KeepingOptions]) -> TextOutput[Any]:
    """What an agent takes as `output_type` to get its answers through the parser.

    A reply that is refused asks the model again, as often as the agent's `retries` for outputs allow; after that
    the agent raises `UnexpectedModelBehavior`, which has the `LLMJsonParseError` in its chain of causes. A reply that
    the model's length limit cut is refused as truncated, whatever it looks like.

    `run_stream` knows no retries, and calls for the output before the finish reason is told: there the text alone has
    to show its end, and `stream_output` yields nothing but the whole object. `stream_snapshots` shows what is certain
    before, and heeds the finish reason.

    Args:
        dto_type: any type the parser takes.
        options: those of `KeepingOptions`; with `keep="good"` the output is a `Partial`.

    Raises:
        TypeError, pydantic.errors.PydanticUserError: as for `parse_llm_json_output`.

    .. versionadded:: 0.1.0
    """
    adapter_of(told_scalar(dto_type, options))
    parse: Callable[..., ParsedOutput[Any]] = partial(parse_llm_json_output_with_trace, dto_type=dto_type)

    def read_output(context: RunContext[Any], text: str) -> Any:  # noqa: ANN401 - an object of the type, or a `Partial`
        if context.partial_output:  # a partial object may be taken back: pydantic-ai leaves out what asks for a retry
            raise ModelRetry(_NOT_WHOLE_YET.text())
        shown = _shown_run.get()
        if shown and shown.result.run_id != context.run_id:
            shown = None  # this is another agent, asked by a tool or a validator of the one that is shown
        message = shown.result.response if shown else context.messages[-1]
        try:  # the first of several answers was shown already: none takes its place
            once: KeepingOptions = {**options, "several": "refuse"} if shown else options
            parsed = parse(text, finished=_finished(message), **once)
        except LLMJsonParseError as error:
            raise ModelRetry(error.feedback()) from error
        if shown:
            shown.parsed = parsed
        return parsed.value

    return TextOutput(read_output)


def output_instructions(dto_type: AnswerType[Any]) -> str:
    """Instructions for an agent that ask for JSON and describe the type: a `TextOutput` tells the model nothing.

    Raises:
        TypeError, pydantic.errors.PydanticUserError: as for `parse_llm_json_output`.

    .. versionadded:: 0.1.0
    """
    return with_json_requirement("", dto_type)


async def stream_snapshots(
    result: StreamedRunResult[Any, T],
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
) -> AsyncIterator[StreamSnapshot[T]]:
    """What is certain of an answer while the model writes it; the last snapshot holds the typed object.

    Several answers are refused, also where `unified_output` was told to take the last: the first was shown already.

    Args:
        result: what `run_stream` of an agent with `unified_output` gave, before anything of it was read.
        dto_type: the same type.
        normalizers: the same, for the object that a snapshot holds before the end.

    Raises:
        UnexpectedModelBehavior: the answer is refused; its chain of causes has the `LLMJsonParseError`.
        ValueError: the agent has another output type, or the result was read before.

    .. versionadded:: 0.1.0
    """
    stream = LLMJsonStream(dto_type, normalizers=normalizers)
    shown = _ShownRun(result)
    pieces = aiter(result.stream_text(delta=True, debounce_by=None))
    while (piece := await _next(pieces, shown)) is not None:
        yield stream.feed(piece)
    if shown.parsed is None:
        message = "the agent's output type is not unified_output, or the result was read before"
        raise ValueError(message)
    yield stream.close_as(ParsedText(shown.parsed.value, data=shown.parsed.decoded.data))


@dataclass
class _ShownRun:
    """A run whose answer is shown: pydantic-ai calls for its output before it tells the finish reason."""

    result: StreamedRunResult[Any, Any]
    parsed: ParsedOutput[Any] | None = None


_shown_run: ContextVar[_ShownRun | None] = ContextVar("shown", default=None)


async def _next(pieces: AsyncIterator[str], shown: _ShownRun) -> str | None:
    """The next piece of the text; None at its end. Only while it is awaited may the output function know the run."""
    token = _shown_run.set(shown)
    try:
        return await anext(pieces, None)
    finally:
        _shown_run.reset(token)


def _finished(message: ModelMessage) -> bool | None:
    """What is known about the end of the text.

    In `run_stream` the response is not among the messages yet. Where a provider gives no finish reason, pydantic-ai
    says `stop`: so only the provider's own word tells that the model stopped by itself.
    """
    if not isinstance(message, ModelResponse):
        return None
    details = message.provider_details or {}
    said, own = (finish_reason_of(word).finished for word in (message.finish_reason, details.get("finish_reason")))
    return False if said is False else own


# --- calls of tools ---


@dataclass
class RepairedToolCalls(AbstractCapability[Any]):  # type: ignore[misc]  # mypy skips its module
    """Repairs the calls of an agent's tools before pydantic-ai validates them: functions, toolsets, MCP, output tools.

    A JSON object stays as it is, unless its keys have marks or its strings are JSON that the tool wants as such. What
    is refused becomes a `ModelRetry` with the parser's feedback, which counts against the tool's `retries`. The history
    then has the repaired arguments, and those that the model wrote under `arguments_as_written` in the
    `provider_details` of the call.

    .. versionadded:: 0.1.0
    """

    async def after_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002 - pydantic-ai's signature
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Give a call the name of its tool, if marks are around it."""
        parameters = request_context.model_request_parameters
        tools = BoundTools({one.name: {} for one in (*parameters.function_tools, *parameters.output_tools)})
        names = {call.tool_name: tools.name(call.tool_name) for call in response.tool_calls}
        if all(name == written for written, name in names.items()):
            return response
        given: list[Any] = [*response.parts]
        parts = [
            replace(part, tool_name=names[part.tool_name]) if isinstance(part, ToolCallPart) else part for part in given
        ]
        return replace(response, parts=parts)

    async def wrap_tool_validate(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        handler: WrapToolValidateHandler,
    ) -> ValidatedToolArgs:
        """Validate what the arguments of a call mean.

        Raises:
            ModelRetry: they are refused.
            ValidationError: they can be read, and the tool does not accept them.
        """
        tools = BoundTools(
            {tool_def.name: tool_def.parameters_json_schema}, lambda error, _: ModelRetry(error.feedback())
        )
        read = tools.repaired(tool_def.name, args, finished=False if _is_cut(ctx, call) else None)
        if not read.is_changed:
            return await handler(args)
        repaired = json.dumps(read.arguments, ensure_ascii=False)
        validated = await handler(repaired)
        call.provider_details = {**(call.provider_details or {}), "arguments_as_written": args}
        call.args, call.id = repaired, None  # as pydantic-ai's documentation of hooks says
        return validated

    async def wrap_output_validate(
        self,
        ctx: RunContext[Any],
        *,
        output_context: OutputContext,
        output: RawOutput,
        handler: WrapOutputValidateHandler,
    ) -> Any:  # noqa: ANN401 - an object of the output type
        """As `wrap_tool_validate`, for an output that comes by a tool."""
        call, tool_def = output_context.tool_call, output_context.tool_def
        if call is None or tool_def is None or ctx.partial_output:
            return await handler(output)
        return await self.wrap_tool_validate(ctx, call=call, tool_def=tool_def, args=output, handler=handler)


def _is_cut(ctx: RunContext[Any], call: ToolCallPart) -> bool:
    """Whether a call is the last of a response that was cut off."""
    last = ctx.messages[-1] if ctx.messages else None
    return isinstance(last, ModelResponse) and _finished(last) is False and any(one is call for one in last.parts[-1:])
