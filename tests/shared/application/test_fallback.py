"""The other model of code that asks without `TypedLLM`."""

import pytest

from src.shared.application.requests import FallbackLLM, ObservedLLM
from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConnectionError,
    LLMContentRefusedError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.llm_exchange import ChatMessage, Role
from src.shared.domain.ports.events import CallEnded
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.events.fan_out import MemoryEvents
from tests.shared.scripted_llm import ScriptedLLM, reply

pytestmark = pytest.mark.anyio

REQUEST = LLMRequest((ChatMessage.of(Role.USER, "?"),))


PASSES = [LLMConnectionError, LLMTimeoutError, LLMRateLimitError, LLMQuotaError, LLMServerError]
STAYS = [LLMAuthenticationError, LLMRequestError, LLMContentRefusedError]


@pytest.mark.parametrize(
    "failure",
    [*(kind("failed") for kind in PASSES), reply("hel", FinishReason.ERROR)],
    ids=lambda one: type(one).__name__,
)
async def test_other_model_answers_where_the_provider_of_the_first_fails_or_breaks_off(
    failure: LLMError | LLMReply,
) -> None:
    other = ScriptedLLM(["hello"])
    assert (await FallbackLLM(ScriptedLLM([failure]), other).generate(REQUEST)).text == "hello"
    assert other.calls == [REQUEST]


@pytest.mark.parametrize("kind", STAYS)
async def test_error_that_the_other_model_would_have_too_is_raised(kind: type[LLMError]) -> None:
    other = ScriptedLLM([])
    with pytest.raises(kind):
        await FallbackLLM(ScriptedLLM([kind("no")]), other).generate(REQUEST)
    assert other.calls == []


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.REFUSED])
async def test_reply_that_is_cut_for_another_reason_is_the_reply(reason: FinishReason) -> None:
    first = ScriptedLLM([reply("hel", reason)])
    assert (await FallbackLLM(first, ScriptedLLM([])).generate(REQUEST)).text == "hel"


async def test_other_model_is_asked_for_all_that_follows() -> None:
    first, other = ScriptedLLM([LLMServerError("failed")]), ScriptedLLM(["one", "two"])
    llm = FallbackLLM(first, other)
    assert [(await llm.generate(REQUEST)).text for _ in range(2)] == ["one", "two"]


async def test_failure_of_the_other_model_is_raised() -> None:
    llm = FallbackLLM(ScriptedLLM([LLMServerError("first")]), ScriptedLLM([LLMTimeoutError("other")]))
    with pytest.raises(LLMTimeoutError):
        await llm.generate(REQUEST)


async def test_without_another_model_the_failure_stands() -> None:
    with pytest.raises(LLMServerError):
        await FallbackLLM(ScriptedLLM([LLMServerError("failed")]), None).generate(REQUEST)
    broken = reply("hel", FinishReason.ERROR)
    assert await FallbackLLM(ScriptedLLM([broken]), None).generate(REQUEST) == broken


async def test_reply_costs_what_the_failure_has_cost_too() -> None:
    failed = LLMTimeoutError("failed")
    failed.usage = TokenUsage(5, 0)
    by_error = await FallbackLLM(ScriptedLLM([failed]), ScriptedLLM([reply("x", tokens=10)])).generate(REQUEST)
    broken = ScriptedLLM([reply("hel", FinishReason.ERROR, tokens=3)])
    by_break = await FallbackLLM(broken, ScriptedLLM([reply("x", tokens=10)])).generate(REQUEST)
    assert (by_error.usage, by_break.usage) == (TokenUsage(15, 10), TokenUsage(13, 13))


async def test_each_request_is_told_of_once_with_its_own_tokens() -> None:
    events = MemoryEvents()
    first = ObservedLLM(ScriptedLLM([reply("hel", FinishReason.ERROR, tokens=3)]), events)
    await FallbackLLM(first, ObservedLLM(ScriptedLLM([reply("x", tokens=10)]), events)).generate(REQUEST)
    assert [call.usage.total_tokens for call in events.of(CallEnded)] == [6, 20]
