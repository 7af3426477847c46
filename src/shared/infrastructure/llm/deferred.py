"""A model that is made for its first question, for whoever may never ask one."""

from __future__ import annotations

from collections.abc import Callable

from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.domain.ports.llm_streaming import TextListener, generate_with


class DeferredLLM:
    """A model that needs settings and a package, made only when it is asked; implements `StreamingLLM`.

    Args:
        make: gives the model, every time the same.
    """

    def __init__(self, make: Callable[[], LLMPort]) -> None:
        self._make = make

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask the model; see `LLMPort.generate`.

        Raises:
            LLMError: the settings do not suffice for a model, or as the model raises.
        """
        return await self._make().generate(request)

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """Ask the model, and let somebody follow; see `StreamingLLM.generate_streaming`.

        Raises:
            LLMError: as for `generate`.
        """
        return await generate_with(self._make(), request, listener)
