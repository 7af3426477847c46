"""pydantic-ai's own fakes stand in for a provider: every response it can give is a reply or an error."""

import ssl
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
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMReplyError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.native_llm import NativeClient, NativeLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.shared.infrastructure.llm.asking import KEY

pytestmark = pytest.mark.anyio

SCHEMA = OutputSchema("Sum", {"type": "object", "properties": {"sum": {"type": "integer"}}})


class Fake:
    """A provider that is a function, and how often it was closed."""

    def __init__(self, model: Model[Any]) -> None:
        self.closed = 0
        self._model = model

    def connect(self, **fields: object) -> NativeLLM:
        given: dict[str, Any] = {"provider": "mistral", "model": "m-1", "api_key": KEY, "max_attempts": 1}
        settings = LLMSettings(**{**given, **fields})
        return NativeLLM(settings, make=lambda _: NativeClient(self._model, self._close))

    async def _close(self) -> None:
        self.closed += 1


async def reply_to(*parts: ModelResponsePart, mode: str = "prompt", **fields: Any) -> LLMReply:  # noqa: ANN401 - fields of a response
    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse(parts, **{"usage": RequestUsage(input_tokens=3, output_tokens=4), **fields})

    async with Fake(FunctionModel(respond)).connect(structured_output=mode) as llm:
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


async def test_answer_that_was_broken_off_is_paid_for_beside_the_next_one() -> None:
    said = iter(["error", "stop"])

    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        usage = RequestUsage(input_tokens=3, output_tokens=4)
        return ModelResponse([TextPart("a")], usage=usage, finish_reason=next(said))  # type: ignore[arg-type]  # one of its literals

    async with Fake(FunctionModel(respond)).connect(max_attempts=2) as llm:
        assert (await llm.generate(LLMRequest.of("问"))).usage == TokenUsage(6, 8)


async def test_fake_that_fills_in_the_tool_is_held_to_the_type() -> None:
    async with Fake(TestModel()).connect(structured_output="tools") as llm:
        reply = await llm.generate(LLMRequest.of("问", output_schema=SCHEMA))

    assert reply.text in {"{}", '{"sum": 0}'}


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

    async with Fake(FunctionModel(respond)).connect() as llm:
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


async def test_closing_twice_closes_once() -> None:
    fake = Fake(TestModel())
    llm = fake.connect()
    await llm.generate(LLMRequest.of("问"))

    await llm.aclose()
    await llm.aclose()

    assert fake.closed == 1
