"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass

from src.shared.domain.ports.llm import TokenUsage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a provider charges.

    Attributes:
        prompt: for a million tokens read.
        completion: for a million tokens written, reasoning included.
        currency: of both.
    """

    prompt: float
    completion: float
    currency: str = "CNY"

    def cost(self, usage: TokenUsage) -> float:
        """What these tokens cost, in `currency`; what a provider charges less for cached tokens is not known here."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / _MILLION
