"""The judge's result."""

from typing import Literal, TypeAlias

from pydantic import Field

from src.shared.domain.fields import AgentResult, Confidence, Fraction, QuantityText

TradeAction: TypeAlias = Literal["BUY", "SELL", "HOLD"]


class VerdictResult(AgentResult):
    """The decision, and the plan for carrying it out."""

    action: TradeAction = Field(description="What to do.")
    position_percent: Fraction = Field(
        description="Share of the portfolio to hold, as a fraction: 0 (none) to 1 (all of it), both included."
    )
    confidence: Confidence
    entry_strategy: str = Field(description="How and at what price to get in.")
    stop_loss: QuantityText = Field(description="Price or condition at which to get out at a loss.")
    take_profit: QuantityText = Field(description="Price or condition at which to take the gain.")
    time_horizon: QuantityText = Field(description="How long the position is meant to be held.")
    risk_warnings: list[str] = Field(default_factory=list, description="What could go wrong; may be empty.")
    reasoning: str = Field(default="", description="Why this action; empty when nothing was said.")
