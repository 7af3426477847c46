"""pydantic-ai's own fakes stand in for a provider: every response it can give is a reply or an error."""

import ssl
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.messages import (
    FinishReason as PydanticFinishReason,
)
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
from src.shared.infrastructure.llm.native_clients import NativeClient
from src.shared.infrastructure.llm.native_llm import NativeLLM
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


async def test_texts_are_one_text_and_reasoning_is_beside_it() -> None:
    reply = await reply_to(ThinkingPart("a"), TextPart('{"a":'), ThinkingPart("b"), TextPart(" 1}"))

    assert (reply.text, reply.reasoning, reply.usage) == ('{"a": 1}', "a\nb", TokenUsage(3, 4))


@pytest.mark.parametrize(
    ("said", "finish_reason"),
    [
        ("stop", FinishReason.STOP),
        ("length", FinishReason.LENGTH),
        ("content_filter", FinishReason.REFUSED),
        ("tool_call", FinishReason.TOOL_CALLS),
        (None, FinishReason.UNKNOWN),
    ],
)
async def test_reason_is_the_librarys_where_the_provider_has_no_word(
    said: PydanticFinishReason | None, finish_reason: FinishReason
) -> None:
    assert (await reply_to(TextPart("x"), finish_reason=said)).finish_reason is finish_reason


async def test_word_of_the_provider_wins_over_the_librarys() -> None:
    reply = await reply_to(TextPart("x"), finish_reason="stop", provider_details={"finish_reason": "pause_turn"})

    assert reply.finish_reason is FinishReason.LENGTH


async def test_answer_broken_off_by_the_provider_is_its_failure() -> None:
    with pytest.raises(LLMServerError) as caught:
        await reply_to(TextPart("x"), finish_reason="error")

    assert caught.value.details["reason"] == "error"


async def test_arguments_may_come_as_text() -> None:
    reply = await reply_to(ToolCallPart("Sum", '{"sum": 1.10}'), mode="tools", finish_reason="tool_call")

    assert reply.text == '{"sum": 1.10}'


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ((ToolCallPart("Sum", {"sum": 1}), ToolCallPart("Sum", {"sum": 2})), "several functions"),
        ((ToolCallPart("Other", {"sum": 1}),), "not asked for"),
    ],
    ids=["several", "another"],
)
async def test_anything_but_the_one_call_is_no_reply(calls: tuple[ToolCallPart, ...], says: str) -> None:
    with pytest.raises(LLMReplyError, match=says) as caught:
        await reply_to(*calls, mode="tools")

    assert caught.value.usage == TokenUsage(3, 4)


async def test_answer_that_was_broken_off_is_paid_for_beside_the_next_one() -> None:
    said = iter(["error", "stop"])

    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        usage = RequestUsage(input_tokens=3, output_tokens=4)
        return ModelResponse([TextPart("a")], usage=usage, finish_reason=next(said))  # type: ignore[arg-type]  # one of its literals

    async with Fake(FunctionModel(respond)).connect(max_attempts=2) as llm:
        assert (await llm.generate(LLMRequest.of("问"))).usage == TokenUsage(6, 8)


async def test_call_where_none_was_asked_for_is_no_reply() -> None:
    with pytest.raises(LLMReplyError, match="not asked for"):
        await reply_to(ToolCallPart("Sum", {"sum": 1}))


async def test_model_that_calls_no_tool_has_answered_in_text() -> None:
    reply = await reply_to(TextPart('{"sum": 1}'), mode="tools", finish_reason="stop")

    assert (reply.text, reply.finish_reason) == ('{"sum": 1}', FinishReason.STOP)


async def test_call_without_arguments_is_an_empty_object() -> None:
    assert (await reply_to(ToolCallPart("Sum", None), mode="tools")).text == "{}"


async def test_argument_that_is_no_json_is_no_reply() -> None:
    with pytest.raises(LLMReplyError, match="no JSON"):
        await reply_to(ToolCallPart("Sum", {"sum": float("inf")}), mode="tools")


async def test_lone_surrogate_costs_no_answer() -> None:
    assert (await reply_to(TextPart("\ud83d\ude00 \ud800"))).text == "😀 \ufffd"


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
