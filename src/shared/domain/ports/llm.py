"""The port to a language model: one request goes out, one reply comes back."""

from __future__ import annotations

from typing import Protocol

from src.shared.domain.finish_reasons import FinishReason
from src.shared.domain.llm_exchange import LLMReply, LLMRequest, OutputSchema, TextProgress, TokenUsage

__all__ = [
    "FinishReason",
    "LLMPort",
    "LLMReply",
    "LLMRequest",
    "OutputSchema",
    "TextProgress",
    "TokenUsage",
    "model_asked",
]


class LLMPort(Protocol):
    """Any language model."""

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer.

        A model that writes while it is waited for adds each piece of the text to `request.progress`, if there is one.

        Raises:
            LLMError: the provider could not be reached, refused, or did not answer.
        """
        ...


def model_asked(llm: LLMPort) -> str:
    """The model's name at its provider, as it is asked for: the attribute `model` of an adapter that has one."""
    name = getattr(llm, "model", "")
    return name if isinstance(name, str) else ""
