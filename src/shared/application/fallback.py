"""Which of two models is asked: the first, and from its provider's failure on the other."""

from __future__ import annotations

from dataclasses import replace

from src.shared.domain.llm_errors import (
    LLMConnectionError,
    LLMError,
    LLMRateLimitError,
    LLMServerError,
    LLMTimeoutError,
    why_cut,
)
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest, TextListener, generate_with

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
    """A model with another for when its provider fails, for code that asks without `TypedLLM`.

    Implements `StreamingLLM`.

    Once turned to, the other model is asked for all that follows.
    """

    def __init__(self, first: LLMPort, fallback: LLMPort | None) -> None:
        """`fallback`: at the same or another provider; may be None."""
        self._in_use = ModelInUse(first, fallback)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask the model in use, and where its provider fails or breaks off, the other; see `LLMPort.generate`.

        The usage of the reply holds what the failure has cost.

        Raises:
            LLMError: as the model that was asked last raises.
        """
        return await self._reply(request, None)

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """`generate`, and let somebody follow; see `StreamingLLM.generate_streaming`.

        Raises:
            LLMError: as for `generate`.
        """
        return await self._reply(request, listener)

    async def _reply(self, request: LLMRequest, listener: TextListener | None) -> LLMReply:
        try:
            reply = await generate_with(self._in_use.model, request, listener)
        except LLMError as error:
            if not self._in_use.turns_to_fallback(error):
                raise
            spent = error.usage
        else:
            if not self._in_use.turns_to_fallback(why_cut(reply, request.max_tokens)):
                return reply
            spent = reply.usage
        reply = await generate_with(self._in_use.model, request, listener)
        return replace(reply, usage=spent + reply.usage)
