"""pydantic-ai's own fakes stand in for a provider: every response it can give is a reply or an error."""

import ssl
from collections.abc import Callable
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMReplyError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.native_llm import NativeClient, NativeLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.shared.infrastructure.llm.asking import KEY

pytestmark = pytest.mark.anyio

SCHEMA = OutputSchema("Sum", {"type": "object", "properties": {"sum": {"type": "integer"}}})


def connect(respond: Callable[[list[ModelMessage], AgentInfo], ModelResponse], mode: str = "prompt") -> NativeLLM:
    """A provider that is a function."""
    settings = LLMSettings(provider="mistral", model="m-1", api_key=KEY, max_attempts=1, structured_output=mode)

    async def close() -> None:
        """Nothing is open."""

    return NativeLLM(settings, make=lambda _: NativeClient(FunctionModel(respond), close))


async def reply_to(*parts: ModelResponsePart, mode: str = "prompt", **fields: Any) -> LLMReply:  # noqa: ANN401 - fields of a response
    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse(parts, **{"usage": RequestUsage(input_tokens=3, output_tokens=4), **fields})

    async with connect(respond, mode) as llm:
        return await llm.generate(LLMRequest.of("问", output_schema=SCHEMA))


CALL = ToolCallPart("Sum", {"sum": 1})
F = FinishReason
REPLIES: dict[str, tuple[list[ModelResponsePart], dict[str, Any], LLMReply]] = {
    "texts and thoughts": (
        [ThinkingPart("a"), TextPart('{"a":'), ThinkingPart("b"), TextPart(" 1}")],
        {},
        LLMReply('{"a": 1}', reasoning="a\nb"),
    ),
    **{
        f"the library's {reason}": ([TextPart("x")], {"finish_reason": reason}, LLMReply("x", finish))
        for reason, finish in {
            "stop": F.STOP,
            "length": F.LENGTH,
            "content_filter": F.REFUSED,
            "tool_call": F.TOOL_CALLS,
            None: F.UNKNOWN,
        }.items()
    },
    "the provider's word, which wins": (
        [TextPart("x")],
        {"finish_reason": "stop", "provider_details": {"finish_reason": "pause_turn"}},
        LLMReply("x", F.LENGTH),
    ),
    "arguments as text": (
        [ToolCallPart("Sum", '{"sum": 1.10}')],
        {"mode": "tools", "finish_reason": "tool_call"},
        LLMReply('{"sum": 1.10}', F.TOOL_CALLS),
    ),
    "no arguments": ([ToolCallPart("Sum", None)], {"mode": "tools"}, LLMReply("{}")),
    "no call": ([TextPart('{"sum": 1}')], {"mode": "tools", "finish_reason": "stop"}, LLMReply('{"sum": 1}', F.STOP)),
    "half a character": ([TextPart("\ud83d\ude00 \ud800")], {}, LLMReply("😀 \ufffd")),
}
NO_REPLIES: dict[str, tuple[list[ModelResponsePart], dict[str, Any], type[LLMError], str]] = {
    "several calls": ([CALL, CALL], {"mode": "tools"}, LLMReplyError, "several functions"),
    "another call": ([ToolCallPart("Other", {"sum": 1})], {"mode": "tools"}, LLMReplyError, "not asked for"),
    "a call that nobody asked for": ([CALL], {}, LLMReplyError, "not asked for"),
    "an argument that is no JSON": (
        [ToolCallPart("Sum", {"sum": float("inf")})],
        {"mode": "tools"},
        LLMReplyError,
        "JSON",
    ),
    "broken off": ([TextPart("x")], {"finish_reason": "error"}, LLMServerError, "error"),
}


@pytest.mark.parametrize(("parts", "fields", "expected"), REPLIES.values(), ids=REPLIES)
async def test_response_becomes_a_reply(
    parts: list[ModelResponsePart], fields: dict[str, Any], expected: LLMReply
) -> None:
    reply = await reply_to(*parts, **fields)

    said = (reply.text, reply.finish_reason, reply.reasoning, reply.usage)
    assert said == (expected.text, expected.finish_reason, expected.reasoning, TokenUsage(3, 4))


@pytest.mark.parametrize(("parts", "fields", "kind", "says"), NO_REPLIES.values(), ids=NO_REPLIES)
async def test_response_that_is_no_reply_is_an_error(
    parts: list[ModelResponsePart], fields: dict[str, Any], kind: type[LLMError], says: str
) -> None:
    with pytest.raises(kind, match=says):
        await reply_to(*parts, **fields)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (UserError(f"{KEY}"), LLMConfigurationError),
        (ModelHTTPError(418, "m", body=KEY), LLMError),
        (KeyError(KEY), LLMReplyError),
        (RuntimeError(KEY), LLMReplyError),
        (TypeError(KEY), LLMReplyError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_whatever_is_raised_is_said_in_our_words(raised: Exception, kind: type[LLMError]) -> None:
    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        raise raised

    async with connect(respond) as llm:
        with pytest.raises(kind) as caught:
            await llm.generate(LLMRequest.of("问"))

    assert KEY not in repr(vars(caught.value)) + str(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


async def test_client_that_cannot_be_made_is_a_configuration_error() -> None:
    def make(_: ssl.SSLContext) -> NativeClient:
        raise UserError(KEY)

    settings = LLMSettings(provider="mistral", model="m-1", api_key=KEY)
    async with NativeLLM(settings, make=make) as llm:
        with pytest.raises(LLMConfigurationError) as caught:
            await llm.generate(LLMRequest.of("问"))

    assert KEY not in str(caught.value)
