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
from src.shared.domain.ports.events import CallEnded, CallStarted, EventPort
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest, TokenUsage, model_asked


async def ask(
    llm: LLMPort, request: LLMRequest, caller: Caller, events: EventPort, spending: Spending | None = None
) -> LLMReply:
    """Ask once and wait for the whole answer; see `LLMPort.generate`.

    Args:
        llm: the model. Of one that answers whole, the text is one piece of the request's progress.
        request: what it is asked.
        caller: who asks, and what for.
        events: told of the request.
        spending: what the answer has cost so far; the request is added to it.

    Returns:
        The reply; where the provider does not say what it cost, with an estimate.

    Raises:
        LLMError: the provider could not be reached, refused, or did not answer.
    """
    model, started, usage = event_name(model_asked(llm)), time.perf_counter(), TokenUsage()
    events.publish(CallStarted(caller, model))
    try:
        if request.progress:
            request.progress.begin()
        with asking_as(caller):
            reply = with_usage(await llm.generate(request), request)
        if request.progress and not request.progress.chunks:
            request.progress.add(reply.text)
        usage = reply.usage
    except BaseException as error:
        if isinstance(error, LLMError):
            error.usage = usage = usage_of_failure(error, request)
        latency = time.perf_counter() - started
        events.publish(CallEnded(caller, model, usage=usage, latency=latency, code=event_code(error)))
        raise
    finally:
        if spending is not None:
            spending.usage += usage
    events.publish(CallEnded(caller, model, event_name(reply.model), reply.finish_reason, usage, reply.latency))
    return reply


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


class FallbackLLM:
    """A model with another for when its provider fails or breaks off.

    Once turned to, the other model is asked for all that follows. The usage of a reply holds what the failure has cost.

    Attributes:
        current: the model that is asked now.
    """

    def __init__(self, first: LLMPort, fallback: LLMPort | None) -> None:
        """`fallback`: at the same or another provider; may be None."""
        self.current = first
        self._fallback = fallback

    def turns_to_fallback(self, error: Exception | None) -> bool:
        """Go on with the other model, once, if there is one and the provider failed in a way that it may not."""
        if self._fallback is None or self._fallback is self.current or not isinstance(error, _ASK_ANOTHER):
            return False
        self.current = self._fallback
        return True

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once, or of the other model once more, and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: of the model that was asked last.
        """
        try:
            reply = await self.current.generate(request)
            spent, failure = reply.usage, why_cut(reply, request.max_tokens)
            if not self.turns_to_fallback(failure):
                return reply
        except LLMError as error:
            if not self.turns_to_fallback(error):
                raise
            spent = error.usage
        if request.progress:
            request.progress.begin()
        reply = await self.current.generate(request)
        return replace(reply, usage=spent + reply.usage)
