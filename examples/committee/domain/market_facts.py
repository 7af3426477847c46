"""What the judge is told about the price."""

from __future__ import annotations

from pydantic import BaseModel, Field

from examples.committee.domain.daily_limits import DailyLimits, daily_limits


class MarketFacts(BaseModel):
    """The prices that a verdict can rest on; what is not known is None or empty."""

    currency: str = Field(description="报价币种")
    price: float | None = Field(default=None, description="最近收盘价，单位：元")
    lower_limit: float | None = Field(default=None, description="下一交易日跌停价，由收盘价按板块规则推算，单位：元")
    upper_limit: float | None = Field(default=None, description="下一交易日涨停价，由收盘价按板块规则推算，单位：元")
    support: list[float] = Field(default_factory=list, description="支撑位，来自资料和技术分析师，单位：元")
    resistance: list[float] = Field(default_factory=list, description="压力位，来自资料和技术分析师，单位：元")
    value_low: str | None = Field(default=None, description="每股内在价值下限及推导，来自估值建模师")
    value_high: str | None = Field(default=None, description="每股内在价值上限及推导，来自估值建模师")
    other_prices: dict[str, float] = Field(default_factory=dict, description="资料中的其他价位，单位：元")

    def with_limits(self, symbol: str, name: str) -> MarketFacts:
        """The same facts and the day's limits, where they can be worked out for this stock.

        Args:
            symbol: as `688999.SH`.
            name: of the stock, as it is traded; it says which rules do not hold.
        """
        found: DailyLimits | None = (self.price and daily_limits(symbol, name, self.price)) or None
        if found is None:
            return self
        return self.model_copy(update={"lower_limit": found.lower, "upper_limit": found.upper})

    @property
    def prices(self) -> tuple[float, ...]:
        """All prices that are given as numbers."""
        single = (self.price, self.lower_limit, self.upper_limit)
        listed = (*self.support, *self.resistance, *self.other_prices.values())
        return tuple(price for price in (*single, *listed) if price is not None)
