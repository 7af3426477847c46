"""Settings of asking for typed answers, by environment: budgets, prices and the models beside the first."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from src.shared.domain.budget import Budget
from src.shared.domain.token_price import TokenPrice
from src.shared.infrastructure.llm.environment import EnvironmentSettings

Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class AskingSettings(EnvironmentSettings):
    """What one answer may cost, and which other models may be asked. None of them has to be set.

    Attributes:
        budget_retries: re-asks after the first answer; 0 to 10, default 2.
        budget_tokens: tokens read and written for one answer; default no bound.
        budget_seconds: seconds for one answer; default no bound.
        budget_cost: money for one answer, in the currency of the prices; default no bound. Needs the prices.
        price_prompt: what a million tokens read cost; default not known.
        price_completion: what a million tokens written cost; given with `price_prompt` or not at all.
        price_cached: what a million tokens read from the provider's cache cost; default as `price_prompt`.
        price_currency: of all prices, default CNY.
        fallback_model: asked where the first model cannot be reached or fails, at the same provider; default none.
        repair_model: asked for repairs, at the same provider; default the first model.

    Raises:
        LLMConfigurationError: a variable is wrong; names it.
    """

    budget_retries: int = Field(2, ge=0, le=10)
    budget_tokens: int | None = Field(None, ge=1)
    budget_seconds: float | None = Field(None, gt=0, le=86_400, allow_inf_nan=False)
    price_prompt: Money | None = None
    price_completion: Money | None = Field(None, validate_default=True)
    price_cached: Money | None = None
    price_currency: str = Field("CNY", min_length=1)
    budget_cost: Money | None = None
    fallback_model: str | None = None
    repair_model: str | None = None

    @field_validator("price_completion")
    @classmethod
    def _is_given_with_the_other(cls, price: float | None, given: ValidationInfo) -> float | None:
        if (price is None) != (given.data.get("price_prompt") is None):
            message = "is given together with LLM_PRICE_PROMPT or not at all"
            raise ValueError(message)
        return price

    @field_validator("budget_cost")
    @classmethod
    def _has_prices(cls, cost: float | None, given: ValidationInfo) -> float | None:
        if cost is not None and given.data.get("price_completion") is None:
            message = "needs LLM_PRICE_PROMPT and LLM_PRICE_COMPLETION"
            raise ValueError(message)
        return cost

    def price(self) -> TokenPrice | None:
        """What tokens cost; None where that is not known."""
        if self.price_prompt is None or self.price_completion is None:
            return None
        return TokenPrice(self.price_prompt, self.price_completion, self.price_currency, self.price_cached)

    def budget(self) -> Budget:
        """The bounds on one answer."""
        return Budget(self.budget_retries, self.budget_tokens, self.budget_seconds, self.budget_cost, self.price())
