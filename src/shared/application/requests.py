"""The one way to a model: every request is told of once when it starts and once when it ends, however it ends.

Which of two models is asked: the first, and from its provider's failure on the other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from src.shared.domain.budget import Spending, usage_of_failure, with_usage
from src.shared.domain.caller import Caller, asking_as, current_caller, event_code, event_name
from src.shared.domain.llm_errors import (
    LLMConnectionError,
    LLMError,
    LLMRateLimitError,
    LLMServerError,
    LLMTimeoutError,
    why_cut,
)
from src.shared.domain.ports.events import CallEnded, CallStarted, Event, EventPort
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest, TokenUsage, model_asked


async def ask(
    llm: LLMPort,
    request: LLMRequest,
    caller: Caller,
    events: EventPort,
    spending: Spending | None = None,
    *,
    purpose: Event | None = None,
) -> LLMReply:
    """Ask once and wait for the whole answer; see `LLMPort.generate`.

    Args:
        llm: the model. Of one that answers whole, the text is one piece of the request's progress.
        request: what it is asked.
        caller: who asks, and what for.
        events: told of the request.
        spending: what the answer has cost so far; the request is added to it.
        purpose: told before the request, if there is one.

    Returns:
        The reply; where the provider does not say what it cost, with an estimate.

    Raises:
        LLMError: the provider could not be reached, refused, or did not answer.
    """
    if purpose:
        events.publish(purpose)
    model, started = event_name(model_asked(llm)), time.perf_counter()
    events.publish(CallStarted(caller, model))
    try:
        if request.progress:
            request.progress.begin()
        with asking_as(caller):
            reply = await llm.generate(request)
        if request.progress and not request.progress.chunks:
            request.progress.add(reply.text)
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


def _add(spending: Spending | None, usage: TokenUsage) -> None:
    if spending is not None:
        spending.add(usage)


@dataclass(frozen=True, slots=True)
class ObservedLLM:
    """A model whose every request is told of, for code that asks one without `TypedLLM`.

    Who asks is known by the context: `with asking_as(caller)`.

    Attributes:
        llm: the model.
        events: told of each request.
    """

    llm: LLMPort
    events: EventPort

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `ask`.

        Raises:
            LLMError: the model's.
        """
        return await ask(self.llm, request, current_caller(), self.events)


_ASK_ANOTHER = (LLMConnectionError, LLMTimeoutError, LLMRateLimitError, LLMServerError)
"""Errors of a provider that another model may not have."""


class ModelInUse:
    """The model that is asked now.

    Attributes:
        model: the first one until it is turned from.
    """

    def __init__(self, first: LLMPort, fallback: LLMPort | None) -> None:
        self.model = first
        self._fallback = fallback

    def turns_to_fallback(self, error: Exception | None) -> bool:
        """Go on with the other model, once, if there is one and the provider failed in a way that it may not."""
        if self._fallback is None or self._fallback is self.model or not isinstance(error, _ASK_ANOTHER):
            return False
        self.model = self._fallback
        return True


class FallbackLLM:
    """A model with another for when its provider fails or breaks off, for code that asks without `TypedLLM`.

    Once turned to, the other model is asked for all that follows. The usage of a reply holds what the failure has cost.
    """

    def __init__(self, first: LLMPort, fallback: LLMPort | None) -> None:
        """`fallback`: at the same or another provider; may be None."""
        self._in_use = ModelInUse(first, fallback)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once, or of the other model once more, and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: of the model that was asked last.
        """
        try:
            reply = await self._in_use.model.generate(request)
        except LLMError as error:
            if not self._in_use.turns_to_fallback(error):
                raise
            spent = error.usage
        else:
            if not self._in_use.turns_to_fallback(why_cut(reply, request.max_tokens)):
                return reply
            spent = reply.usage
        if request.progress:
            request.progress.begin()
        reply = await self._in_use.model.generate(request)
        return replace(reply, usage=spent + reply.usage)
