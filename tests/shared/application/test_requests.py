"""Every request to a model is told of once when it starts and once when it ends, however it ends."""

import asyncio
from contextlib import suppress

import pytest

from src.shared.application.requests import ObservedLLM, ask
from src.shared.domain.caller import NOBODY, Caller, asking_as, current_caller
from src.shared.domain.llm_errors import LLMReplyError
from src.shared.domain.ports.events import CallEnded, CallStarted
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.events.fan_out import MemoryEvents
from tests.shared.scripted_llm import HangingLLM, ScriptedLLM, reply

pytestmark = pytest.mark.anyio

CALLER = Caller("裁决", "p-1", 2)
REQUEST = LLMRequest.of("?")


async def told_of(answer: str | LLMReply | Exception) -> tuple[CallStarted, CallEnded]:
    """The two events of one request."""
    events = MemoryEvents()
    with suppress(LLMReplyError, KeyError):
        await ask(ScriptedLLM([answer]), REQUEST, CALLER, events)
    started, ended = events.events
    assert isinstance(started, CallStarted)
    assert isinstance(ended, CallEnded)
    return started, ended


async def test_answered_request_is_told_with_caller_model_and_cost() -> None:
    cost = TokenUsage(7, 5, 2, 1)
    started, ended = await told_of(LLMReply("x", FinishReason.STOP, "m-1", cost, 0.5))
    assert started == CallStarted(CALLER)
    assert ended == CallEnded(CALLER, "", "m-1", FinishReason.STOP, cost, 0.5)


PAID = LLMReplyError("no text")
PAID.usage = TokenUsage(9, 4)


@pytest.mark.parametrize(
    ("answer", "code", "finish_reason", "usage"),
    [
        (reply("", FinishReason.REFUSED, tokens=3), "", FinishReason.REFUSED, TokenUsage(3, 3)),
        (PAID, "LLM_REPLY_ERROR", FinishReason.UNKNOWN, TokenUsage(9, 4)),
        (KeyError("x"), "KeyError", FinishReason.UNKNOWN, TokenUsage()),
        (LLMReply("eighty"), "", FinishReason.UNKNOWN, TokenUsage(9, 2, is_estimated=True)),
        (LLMReplyError("no text"), "LLM_REPLY_ERROR", FinishReason.UNKNOWN, TokenUsage(9, is_estimated=True)),
    ],
    ids=["declined", "failed", "not ours", "nobody counted", "read in vain"],
)
async def test_request_is_told_with_its_end_and_what_it_cost(
    answer: LLMReply | Exception, code: str, finish_reason: FinishReason, usage: TokenUsage
) -> None:
    _, ended = await told_of(answer)
    assert (ended.code, ended.finish_reason, ended.usage) == (code, finish_reason, usage)


async def test_error_is_the_callers_to_see() -> None:
    error = LLMReplyError("no text")
    with pytest.raises(LLMReplyError) as caught:
        await ask(ScriptedLLM([error]), REQUEST, CALLER, MemoryEvents())
    assert caught.value is error


async def test_cancelled_request_is_told_and_still_cancelled() -> None:
    events = MemoryEvents()
    task = asyncio.create_task(ask(HangingLLM(), REQUEST, CALLER, events))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (ended,) = events.of(CallEnded)
    assert (ended.caller, ended.code, ended.usage) == (CALLER, "LLM_CALL_CANCELLED", TokenUsage())


class Named:
    """Says which model it asks, and notes who asks."""

    def __init__(self, model: object) -> None:
        self.model = model
        self.seen: list[Caller] = []

    async def generate(self, request: LLMRequest) -> LLMReply:
        del request
        self.seen.append(current_caller())
        return LLMReply("x", model="m-1-2026")


@pytest.mark.parametrize(("name", "told"), [("m-1", "m-1"), ("m\ud800", r"m\ud800"), (3, "")])
async def test_model_that_says_its_name_is_named_as_it_was_asked_for(name: object, told: str) -> None:
    events = MemoryEvents()
    await ask(Named(name), REQUEST, CALLER, events)
    names = [(e.model, e.response_model) for e in events.of(CallEnded)]
    assert ([e.model for e in events.of(CallStarted)], names) == ([told], [(told, "m-1-2026")])


async def test_caller_is_known_while_the_request_is_under_way() -> None:
    llm = Named("m")
    await ask(llm, REQUEST, CALLER, MemoryEvents())
    assert (llm.seen, current_caller()) == ([CALLER], NOBODY)


async def test_model_of_code_that_asks_it_directly_can_be_observed() -> None:
    events = MemoryEvents()
    with asking_as(CALLER):
        answered = await ObservedLLM(ScriptedLLM(["hello"]), events).generate(REQUEST)
    assert (answered.text, [e.caller for e in events.of(CallEnded)]) == ("hello", [CALLER])
