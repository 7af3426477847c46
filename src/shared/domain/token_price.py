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
        currency: of all prices.
        cached: for a million tokens read from the provider's cache; None where they cost as much as the others.
    """

    prompt: float
    completion: float
    currency: str = "CNY"
    cached: float | None = None

    def cost(self, usage: TokenUsage) -> float:
        """What these tokens cost, in `currency`."""
        cached = usage.cached_tokens if self.cached is not None else 0
        read = (usage.prompt_tokens - cached) * self.prompt + cached * (self.cached or 0)
        return (read + usage.completion_tokens * self.completion) / _MILLION

    def tokens_for(self, money: float) -> int:
        """How many tokens may be written for so much money; a million where they cost nothing."""
        if money <= 0:
            return 0
        return int(money * _MILLION / self.completion) if self.completion else _MILLION
