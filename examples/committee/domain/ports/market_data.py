"""What is known about a stock from outside: prices, reports, multiples, dividends, announcements.

One unit for each kind of number, whatever a source uses: money in yuan, shares one by one (a 手 is a hundred of them),
rates in percent. What a source does not say is None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Generic, Protocol, TypeVar

from examples.committee.domain.stock_code import StockCode

RowT = TypeVar("RowT")


@dataclass(frozen=True, slots=True)
class Rows(Generic[RowT]):
    """What a source answered.

    Attributes:
        rows: in any order.
        source: who says so: the library, its version, the function or the interface.
    """

    rows: tuple[RowT, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Profile:
    """Who the company is, as of the day of asking: no source keeps earlier names.

    Attributes:
        name: of the share, with ST or *ST where it has a risk warning.
        industry: in the words of the source.
    """

    name: str
    industry: str | None = None


@dataclass(frozen=True, slots=True)
class DailyBar:
    """One day on which the share was traded; a day without trade has no bar. Prices are as traded, not adjusted.

    Attributes:
        day: of the trade.
        open: first price, yuan.
        high: highest price, yuan.
        low: lowest price, yuan.
        close: last price, yuan.
        reference: what the exchange compares the day with, yuan: the close before it less dividends and new shares
            of that day. None where it is not known, and then the days before cannot be compared with this one.
        volume: shares.
        amount: yuan.
        turnover_rate: percent.
    """

    day: date
    open: float
    high: float
    low: float
    close: float
    reference: float | None = None
    volume: float | None = None
    amount: float | None = None
    turnover_rate: float | None = None


@dataclass(frozen=True, slots=True)
class ValuationDay:
    """Multiples on one day.

    Attributes:
        day: of the close they are computed with.
        market_value: of all shares, yuan.
        shares: all there are.
        pe_ttm: times; negative or None where there is a loss.
        pb: times.
        ps_ttm: times.
    """

    day: date
    market_value: float | None = None
    shares: float | None = None
    pe_ttm: float | None = None
    pb: float | None = None
    ps_ttm: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """One quarterly, half-yearly or yearly report. Amounts run from the beginning of its year, in yuan.

    Attributes:
        period_end: the last day of the period.
        known_on: the day from which these figures, as they stand here, were public.
        revenue: total operating revenue (营业总收入).
        net_profit: of the parent's owners.
        deducted_net_profit: the same without what is extraordinary.
        operating_cash_flow: net.
        revenue_growth: on the same part of the year before, percent.
        net_profit_growth: as above.
        gross_margin: percent.
        net_margin: percent.
        roe: weighted, from the beginning of the year, percent.
        book_value_per_share: yuan.
        debt_to_assets: percent.
        current_ratio: times.
        quick_ratio: times.
        receivable_days: days.
        inventory_days: days.
    """

    period_end: date
    known_on: date
    revenue: float | None = None
    net_profit: float | None = None
    deducted_net_profit: float | None = None
    operating_cash_flow: float | None = None
    revenue_growth: float | None = None
    net_profit_growth: float | None = None
    gross_margin: float | None = None
    net_margin: float | None = None
    roe: float | None = None
    book_value_per_share: float | None = None
    debt_to_assets: float | None = None
    current_ratio: float | None = None
    quick_ratio: float | None = None
    receivable_days: float | None = None
    inventory_days: float | None = None


@dataclass(frozen=True, slots=True)
class Dividend:
    """A distribution that was carried out.

    Attributes:
        period_end: of the report it belongs to.
        ex_day: the first day on which the share was traded without it.
        cash: before tax, yuan a share.
        new_shares: given for each share.
    """

    period_end: date
    ex_day: date
    cash: float
    new_shares: float


@dataclass(frozen=True, slots=True)
class Announcement:
    """What the company published, by its title."""

    published: date
    title: str
    source: str
    url: str | None = None


class MarketDataPort(Protocol):
    """A source of market data.

    Every method raises `UnknownStockError` where the source has no such stock, `DataNotOfferedError` where asking
    again would not help (no permission, another form than expected), `MarketDataUnavailableError` where it may, and
    `MarketDataSettingsError` where the token is missing or wrong.
    """

    def profile(self, stock: StockCode) -> Rows[Profile]:
        """Exactly one row."""

    def daily_bars(self, stock: StockCode, first: date, last: date) -> Rows[DailyBar]:
        """The bars of a time, both days included."""

    def valuation(self, stock: StockCode, first: date, last: date) -> Rows[ValuationDay]:
        """The multiples of a time, both days included."""

    def reports(self, stock: StockCode, first: date, last: date) -> Rows[Report]:
        """The reports on periods that end in a time; each period once, as it was known on the last day."""

    def dividends(self, stock: StockCode, last: date) -> Rows[Dividend]:
        """Distributions up to a day."""

    def announcements(self, stock: StockCode, first: date, last: date) -> Rows[Announcement]:
        """The company's announcements of a time, both days included."""
