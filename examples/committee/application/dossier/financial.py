"""The dossier's financial section, from reports whose amounts run from the beginning of their year."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, Final

from examples.committee.application.dossier.rounding import hundred_millions, percent, price, ratio
from examples.committee.domain.ports.market_data import Dividend, Report

MOST_QUARTERS: Final = 8
_AS_REPORTED: Final = (
    *("revenue_growth", "net_profit_growth", "gross_margin", "net_margin", "debt_to_assets"),
    *("current_ratio", "quick_ratio", "receivable_days", "inventory_days"),
)
_AMOUNTS: Final = ("revenue", "net_profit", "deducted_net_profit", "operating_cash_flow")
_QUARTERS: Final = 4


class Reports:
    """Reports by the end of their period."""

    def __init__(self, reports: Iterable[Report]) -> None:
        self._by_end = {report.period_end: report for report in reports}
        self.latest = self._by_end[max(self._by_end)]

    def quarter(self, end: date, name: str) -> float | None:
        """One quarter alone: the year up to its end, less the year up to the quarter before."""
        amount = self._amount(end, name)
        if _number(end) == 1 or amount is None:
            return amount
        before = self._amount(_quarters_before(end, 1), name)
        return None if before is None else amount - before

    def four_quarters(self, name: str) -> float | None:
        """The last four quarters: this year so far, and last year less the same part of it."""
        end = self.latest.period_end
        so_far, last_year = self._amount(end, name), self._amount(date(end.year - 1, 12, 31), name)
        same_part = self._amount(_quarters_before(end, _QUARTERS), name)
        if _number(end) == _QUARTERS or so_far is None or last_year is None or same_part is None:
            return so_far if _number(end) == _QUARTERS else None
        return so_far + last_year - same_part

    def quarters(self) -> list[dict[str, Any]]:
        """The latest quarters one by one, the latest first, as far as at least one amount of each is known."""
        ends = [_quarters_before(self.latest.period_end, back) for back in range(MOST_QUARTERS)]
        amounts = {end: {name: hundred_millions(self.quarter(end, name)) for name in _AMOUNTS} for end in ends}
        known = {end: {name: one for name, one in row.items() if one is not None} for end, row in amounts.items()}
        return [{"quarter": name_of(end), **row} for end, row in known.items() if row]

    def _amount(self, end: date, name: str) -> float | None:
        report = self._by_end.get(end)
        return None if report is None else getattr(report, name)


def financial_section(reports: Sequence[Report], dividends: Sequence[Dividend], shares: float | None) -> dict[str, Any]:
    """What the financial auditor is told.

    Args:
        reports: at least one, all public.
        dividends: all of which the share went ex.
        shares: there are; None where that is not known.
    """
    found = Reports(reports)
    latest = found.latest
    profit, cash = found.four_quarters("net_profit"), found.four_quarters("operating_cash_flow")
    year_part = _QUARTERS / _number(latest.period_end)
    section = {
        "report_period": name_of(latest.period_end),
        "revenue_ttm": hundred_millions(found.four_quarters("revenue")),
        "net_profit_ttm": hundred_millions(profit),
        **{name: percent(getattr(latest, name)) for name in _AS_REPORTED},
        "roe": percent(None if latest.roe is None else latest.roe * year_part),
        "eps_ttm": price(ratio(profit, shares)),
        "book_value_per_share": price(latest.book_value_per_share),
        "cash_flow_per_share": price(ratio(cash, shares)),
        "dividend_per_share": price(_of_last_year(dividends)),
        "cash_to_profit": percent(ratio(cash, profit) if profit and profit > 0 else None),
        "quarters": found.quarters(),
    }
    return {name: value for name, value in section.items() if value not in (None, [])}


def _of_last_year(dividends: Sequence[Dividend]) -> float | None:
    """Cash a share for the last business year whose final dividend was paid."""
    years = [one.period_end.year for one in dividends if _number(one.period_end) == _QUARTERS]
    return sum(one.cash for one in dividends if one.period_end.year == max(years)) if years else None


def name_of(end: date) -> str:
    """The quarter that ends on a day, such as 2025Q3."""
    return f"{end.year}Q{_number(end)}"


def _number(end: date) -> int:
    return (end.month + 2) // 3


def _quarters_before(end: date, count: int) -> date:
    """The end of the quarter that lies so many before."""
    year, quarter = divmod(end.year * _QUARTERS + _number(end) - 1 - count, _QUARTERS)
    following = date(year + (quarter + 1) // _QUARTERS, (quarter + 1) % _QUARTERS * 3 + 1, 1)
    return following - timedelta(days=1)
