"""The one way to a model: every request is told of once when it starts and once when it ends, however it ends.

What an earlier run was answered is no request of this one, and nothing is told of it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from src.shared.domain.budget import Spending, usage_of_failure, with_usage
from src.shared.domain.caller import Caller, asking_as, current_caller, event_code, event_name
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.events import CallEnded, CallStarted, Event, EventPort
from src.shared.domain.ports.llm import (
    LLMPort,
    LLMReply,
    LLMRequest,
    RecallingLLM,
    TextListener,
    TokenUsage,
    generate_with,
    model_asked,
    tell_whole,
)


async def ask(
    llm: LLMPort,
    request: LLMRequest,
    caller: Caller,
    events: EventPort,
    spending: Spending | None = None,
    *,
    purpose: Event | None = None,
    listener: TextListener | None = None,
) -> LLMReply:
    """Ask once and wait for the whole answer; see `LLMPort.generate`.

    Args:
        llm: the model.
        request: what it is asked.
        caller: who asks, and what for.
        events: told of the request.
        spending: what the answer has cost so far; the request is added to it.
        purpose: told before the request, if there is one.
        listener: follows the answer as it is written, if there is one.

    Returns:
        The reply; where the provider does not say what it cost, with an estimate.

    Raises:
        LLMError: the provider could not be reached, refused, or did not answer.
    """
    if isinstance(llm, RecallingLLM) and (earlier := _recalled(llm, request, caller)):
        _add(spending, earlier.usage)
        tell_whole(listener, earlier)
        return earlier
    if purpose:
        events.publish(purpose)
    model, started = event_name(model_asked(llm)), time.perf_counter()
    events.publish(CallStarted(caller, model))
    try:
        with asking_as(caller):
            reply = await generate_with(llm, request, listener)
    except BaseException as error:
        usage = TokenUsage()
        if isinstance(error, LLMError):
            error.usage = usage = usage_of_failure(error, request)
            _add(spending, usage)
        latency = time.perf_counter() - started
        events.publish(CallEnded(caller, model, usage=usage, latency=latency, code=event_code(error)))
        raise
    reply = with_usage(reply, request)
    _add(spending, reply.usage)
    facts = (event_name(reply.model), reply.finish_reason, reply.usage, reply.latency)
    events.publish(CallEnded(caller, model, *facts))
    return reply


def _recalled(llm: RecallingLLM, request: LLMRequest, caller: Caller) -> LLMReply | None:
    with asking_as(caller):
        reply = llm.recall(request)
    return reply and with_usage(reply, request)


def _add(spending: Spending | None, usage: TokenUsage) -> None:
    if spending is not None:
        spending.add(usage)


@dataclass(frozen=True, slots=True)
class ObservedLLM:
    """A model whose every request is told of, for code that asks one without `TypedLLM`; implements `StreamingLLM`.

    Who asks is known by the context: `with asking_as(caller)`.

    Attributes:
        llm: the model.
        events: told of each request.
    """

    llm: LLMPort
    events: EventPort

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: the model's.
        """
        return await ask(self.llm, request, current_caller(), self.events)

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """Ask once, and let somebody follow; see `StreamingLLM.generate_streaming`.

        Raises:
            LLMError: the model's.
        """
        return await ask(self.llm, request, current_caller(), self.events, listener=listener)
