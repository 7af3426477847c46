"""The dossier's multiples, and where they lie among those of five years."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from examples.committee.application.dossier.rounding import hundred_millions, percent, price
from examples.committee.domain import indicators
from examples.committee.domain.ports.market_data import DailyBar, Dividend, ValuationDay

FIVE_YEARS: Final = timedelta(days=5 * 365 + 1)
_LATE: Final = timedelta(days=31)
"""How much later than five years ago the history may begin."""
_YEAR: Final = timedelta(days=365)
_PERCENTILES: Final = {"pe_percentile_5y": "pe_ttm", "pb_percentile_5y": "pb", "ps_percentile_5y": "ps_ttm"}


def valuation_section(
    last: DailyBar, days: Sequence[ValuationDay], dividends: Sequence[Dividend], financial: dict[str, Any]
) -> dict[str, Any]:
    """What the valuation modeler is told.

    Args:
        last: the last bar.
        days: multiples, the earliest first; those of the last bar's day are given, and only those.
        dividends: all of which the share went ex.
        financial: the financial section, for what is worked out with it.
    """
    today = days[-1] if days and days[-1].day == last.day else None
    earnings, book_value = financial.get("eps_ttm"), financial.get("book_value_per_share")
    section = {
        "price": price(last.close),
        **(_multiples(today, days) if today else {}),
        "dividend_yield": percent(_dividend_yield(last, dividends)),
        "graham_value": price(indicators.graham_value(earnings, book_value) if earnings and book_value else None),
    }
    return {name: value for name, value in section.items() if value is not None}


def _multiples(today: ValuationDay, days: Sequence[ValuationDay]) -> dict[str, float | None]:
    ps = today.ps_ttm if today.ps_ttm is None or today.ps_ttm >= 0 else None
    return {
        "market_cap": hundred_millions(today.market_value),
        "shares": hundred_millions(today.shares),
        "pe_ttm": percent(today.pe_ttm),
        "pb": percent(today.pb),
        "ps_ttm": percent(ps),
        **{field: percent(_percentile(days, name, today.day)) for field, name in _PERCENTILES.items()},
    }


def _percentile(days: Sequence[ValuationDay], name: str, last: date) -> float | None:
    """Among the days of five years with a multiple above 0; None where the history is shorter."""
    first = last - FIVE_YEARS
    if days[0].day > first + _LATE:
        return None
    known = [value for value in (getattr(day, name) for day in days if day.day > first) if value and value > 0]
    value = getattr(days[-1], name)
    return indicators.percentile(known, value) if value and value > 0 else None


def _dividend_yield(last: DailyBar, dividends: Sequence[Dividend]) -> float | None:
    """Cash of the last twelve months over the close; None without any, or where new shares make old ones less worth."""
    year = [one for one in dividends if last.day - _YEAR < one.ex_day <= last.day]
    cash = sum(one.cash for one in year)
    return cash / last.close * 100 if cash > 0 and not any(one.new_shares for one in year) else None
