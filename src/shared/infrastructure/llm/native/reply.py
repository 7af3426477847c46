"""What a provider's native API answered, as a reply of the port."""

from __future__ import annotations

import json
from collections.abc import Sequence

from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.llm_errors import LLMReplyError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from src.shared.infrastructure.llm.chat_completions.wire import MAY_LACK_TEXT, paired
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.provider import PROVIDERS
from src.shared.infrastructure.llm.provider_errors import NO_TEXT, NOT_THE_API, OTHER_CALL, SEVERAL_CALLS, Endpoint

with needs_extra(PROVIDERS):
    from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart


def to_reply(response: ModelResponse, endpoint: Endpoint, tool: str | None = None) -> LLMReply:
    """Make a whole response a reply; the latency is not known here.

    Args:
        response: what came.
        endpoint: where from.
        tool: the function whose arguments are the answer; None where the text is. A model that did not call it has
            answered in text, which is for the parser to read or to refuse.

    Raises:
        LLMReplyError: there is no text where one is due, or not the one call that was asked for.
        LLMServerError: the provider broke off.
    """
    finish, spelled = _finish(response)
    if finish is FinishReason.ERROR:
        raise endpoint.error(LLMServerError, reason=spelled)
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if calls:
        texts = [_called(calls, tool, endpoint)]
        finish = FinishReason.TOOL_CALLS if finish is FinishReason.STOP else finish  # Gemini says STOP
    if not texts and finish not in MAY_LACK_TEXT:
        raise endpoint.error(LLMReplyError, NO_TEXT)
    reasoning = "\n".join(part.content for part in response.parts if isinstance(part, ThinkingPart))
    return LLMReply(
        text=paired("".join(texts)),
        finish_reason=finish,
        model=response.model_name or endpoint.model,
        usage=_usage(response),
        reasoning=paired(reasoning),
    )


def _called(calls: Sequence[ToolCallPart], tool: str | None, endpoint: Endpoint) -> str:
    """The arguments of the one call that was asked for."""
    if len(calls) > 1:
        raise endpoint.error(LLMReplyError, SEVERAL_CALLS)
    if calls[0].tool_name != tool:
        raise endpoint.error(LLMReplyError, OTHER_CALL)
    return _arguments(calls[0], endpoint)


def _finish(response: ModelResponse) -> tuple[FinishReason, str]:
    """Why the model stopped: in the provider's own word where it is known, since pydantic-ai has fewer of them."""
    details = response.provider_details or {}
    if "block_reason" in details:
        return FinishReason.REFUSED, "block_reason"
    spelled = details.get("finish_reason") or response.finish_reason
    return finish_reason_of(spelled), str(spelled)


def _arguments(call: ToolCallPart, endpoint: Endpoint) -> str:
    """The arguments as JSON; the vendors' clients decode them, so that a number has the digits of a float."""
    if isinstance(call.args, str):
        return call.args
    try:
        return json.dumps(call.args or {}, ensure_ascii=False, allow_nan=False)
    except ValueError:
        pass
    raise endpoint.error(LLMReplyError, NOT_THE_API, reason="arguments that are no JSON")


def _usage(response: ModelResponse) -> TokenUsage:
    said = response.usage
    reasoning = said.output_reasoning_tokens or 0
    return TokenUsage(said.input_tokens, said.output_tokens, reasoning, said.cache_read_tokens)
