"""A model that is made for its first question, for whoever may never ask one."""

from __future__ import annotations

from collections.abc import Callable

from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest


class DeferredLLM:
    """`LLMPort` by a model that needs settings, and a package that takes a second to import, only when it is asked.

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
