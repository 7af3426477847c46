"""The story behind the port, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from examples.committee.domain.ports.market_data import (
    Announcement,
    DailyBar,
    Dividend,
    Profile,
    Report,
    Rows,
    ValuationDay,
)
from examples.committee.domain.stock_code import StockCode
from examples.committee.tests.market_data import story

RowT = TypeVar("RowT")


@dataclass
class FakeMarketData:
    """Tells everything it knows, whatever day is asked for: leaving out what is later is the builder's task.

    Attributes:
        told: kind of rows → the rows, or the error that is raised.
    """

    told: dict[str, Any] = field(
        default_factory=lambda: {
            "profile": [story.PROFILE],
            "daily_bars": story.bars(),
            "valuation": story.valuation(),
            "reports": story.reports(),
            "dividends": list(story.DIVIDENDS),
            "announcements": list(story.ANNOUNCEMENTS),
        }
    )

    def profile(self, stock: StockCode) -> Rows[Profile]:
        del stock
        return self._rows("profile")

    def daily_bars(self, stock: StockCode, first: date, last: date) -> Rows[DailyBar]:
        del stock, first, last
        return self._rows("daily_bars")

    def valuation(self, stock: StockCode, first: date, last: date) -> Rows[ValuationDay]:
        del stock, first, last
        return self._rows("valuation")

    def reports(self, stock: StockCode, first: date, last: date) -> Rows[Report]:
        del stock, first, last
        return self._rows("reports")

    def dividends(self, stock: StockCode, last: date) -> Rows[Dividend]:
        del stock, last
        return self._rows("dividends")

    def announcements(self, stock: StockCode, first: date, last: date) -> Rows[Announcement]:
        del stock, first, last
        return self._rows("announcements")

    def _rows(self, name: str) -> Rows[Any]:
        told = self.told[name]
        if isinstance(told, Exception):
            raise told
        return Rows(tuple(told), f"fake {name}")
