"""Tushare Pro: one address, one request form, a token; what an account may ask for depends on its points.

Tushare's units: vol in 手, amount in thousands of yuan, total_share in 万股, total_mv in 万元, dividends for one share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from json import JSONDecodeError
from typing import Any, Final

from examples.committee.domain.exceptions import DataNotOfferedError, MarketDataError
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
from examples.committee.infrastructure.market_data import failures
from examples.committee.infrastructure.market_data.calls import Calls
from examples.committee.infrastructure.market_data.cells import LOT, Cells, compact, day, number, rows_of, text, times
from examples.committee.infrastructure.market_data.settings import MarketDataSettings

THOUSAND: Final = 1_000.0
TEN_THOUSAND: Final = 10_000.0

_INCOME: Final = {"revenue": "total_revenue", "net_profit": "n_income_attr_p"}
_CASH_FLOW: Final = {"operating_cash_flow": "n_cashflow_act"}
_INDICATORS: Final = {
    "deducted_net_profit": "profit_dedt",
    "revenue_growth": "tr_yoy",
    "net_profit_growth": "netprofit_yoy",
    "gross_margin": "grossprofit_margin",
    "net_margin": "netprofit_margin",
    "roe": "roe_waa",
    "book_value_per_share": "bps",
    "debt_to_assets": "debt_to_assets",
    "current_ratio": "current_ratio",
    "quick_ratio": "quick_ratio",
    "receivable_days": "arturn_days",
    "inventory_days": "invturn_days",
}
_CONSOLIDATED = "1"
"""The type of a report on the whole group, as it was first published or corrected later."""


class TushareMarketData:
    """Tushare behind `MarketDataPort`.

    Args:
        settings: token, time limit and attempts.
        today: the day of asking.

    Raises:
        MarketDataSettingsError: Tushare is not installed, or there is no token.
    """

    def __init__(self, settings: MarketDataSettings, today: date) -> None:
        if settings.tushare_token is None:
            raise failures.no_token()
        with failures.needs_extra("tushare"):
            import requests  # noqa: PLC0415 - as below
            import tushare  # type: ignore[import-untyped]  # noqa: PLC0415 - it takes a second, with pandas
            from tushare.pro.client import DataApi  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
        self._version = tushare.__version__
        self._broken = requests.RequestException
        self._api = DataApi(settings.tushare_token.get_secret_value(), timeout=settings.market_data_timeout)
        if settings.tushare_url:
            self._api._DataApi__http_url = settings.tushare_url  # noqa: SLF001 - it has no other way
        self._calls = Calls(settings.market_data_timeout, settings.market_data_attempts, self._failure)
        self._today = today

    def profile(self, stock: StockCode) -> Rows[Profile]:
        """Name and industry of today."""
        answer = self._query("stock_basic", ("ts_code", "name", "industry"), stock)
        found = [(text(row["name"]), text(row["industry"])) for row in answer.rows]
        if not found or found[0][0] is None:
            raise failures.unknown_stock(str(stock), answer.source)
        return Rows((Profile(found[0][0], found[0][1]),), answer.source)

    def daily_bars(self, stock: StockCode, first: date, last: date) -> Rows[DailyBar]:
        """Bars as traded, with the exchange's reference."""
        columns = ("trade_date", "open", "high", "low", "close", "pre_close", "vol", "amount")
        answer = self._query("daily", columns, stock, first, last)
        bars = sorted((one for row in answer.rows if (one := _bar(row))), key=lambda bar: bar.day)
        if not bars:
            return Rows((), answer.source)
        newest = bars[-1].day
        rate = self._turnover(stock, newest)
        return Rows((*bars[:-1], _with_turnover(bars[-1], rate)), answer.source)

    def valuation(self, stock: StockCode, first: date, last: date) -> Rows[ValuationDay]:
        """Tushare's daily multiples; a multiple of a loss is empty there."""
        columns = ("trade_date", "total_mv", "total_share", "pe_ttm", "pb", "ps_ttm")
        answer = self._query("daily_basic", columns, stock, first, last)
        return Rows(tuple(one for row in answer.rows if (one := _valuation(row))), answer.source)

    def reports(self, stock: StockCode, first: date, last: date) -> Rows[Report]:
        """Income, cash flow and ratios of each period; of several versions the last that was public."""
        income = self._published("income", _INCOME, stock, first, last)
        cash = self._published("cashflow", _CASH_FLOW, stock, first, last)
        ratios = self._published("fina_indicator", _INDICATORS, stock, first, last)
        parts = (income.rows[0], cash.rows[0], ratios.rows[0])
        found = tuple(_report(end, parts) for end in parts[0] if first <= end <= last)
        return Rows(found, f"{income.source}, cashflow, fina_indicator")

    def dividends(self, stock: StockCode, last: date) -> Rows[Dividend]:
        """Distributions that were carried out."""
        answer = self._query("dividend", ("end_date", "ex_date", "cash_div_tax", "stk_div", "div_proc"), stock)
        return Rows(tuple(one for row in answer.rows if (one := _dividend(row)) and one.ex_day <= last), answer.source)

    def announcements(self, stock: StockCode, first: date, last: date) -> Rows[Announcement]:
        """Titles of announcements; an account needs a permission of their own for them."""
        answer = self._query("anns_d", ("ann_date", "title", "url"), stock, first, last)
        dated = ((day(row["ann_date"]), text(row["title"]), text(row["url"])) for row in answer.rows)
        found = (
            Announcement(published, title, "Tushare 公告", url)
            for published, title, url in dated
            if published and title
        )
        return Rows(tuple(found), answer.source)

    def _turnover(self, stock: StockCode, newest: date) -> float | None:
        try:
            answer = self._query("daily_basic", ("trade_date", "turnover_rate"), stock, newest, newest)
        except DataNotOfferedError:
            return None
        return next((number(row["turnover_rate"]) for row in answer.rows), None)

    def _published(
        self, name: str, fields: Mapping[str, str], stock: StockCode, first: date, last: date
    ) -> Rows[dict[date, Cells]]:
        """The rows of a report, by period: of each the last version that was public on the last day.

        `fina_indicator` has no day of its own for a correction. It is taken where the last day is today, and what it
        corrects is taken for a day that is past.
        """
        indicator = name == "fina_indicator"
        dates = ("ann_date",) if indicator else ("f_ann_date", "ann_date", "report_type")
        columns = ("end_date", "update_flag", *dates, *fields.values())
        answer = self._query(name, columns, stock, first, last)
        wanted = "1" if last >= self._today else "0"
        best: dict[date, tuple[date, bool, Cells]] = {}
        for row in answer.rows:
            end, known = day(row["end_date"]), day(row.get("f_ann_date")) or day(row["ann_date"])
            if (
                end is None
                or known is None
                or known > last
                or str(row.get("report_type", _CONSOLIDATED)) != _CONSOLIDATED
            ):
                continue
            version = (known, str(row["update_flag"]) == wanted, {**row, "known": known})
            if end not in best or version[:2] > best[end][:2]:
                best[end] = version
        return Rows(({end: version[2] for end, version in best.items()},), answer.source)

    def _query(
        self, name: str, columns: Iterable[str], stock: StockCode, first: date | None = None, last: date | None = None
    ) -> Rows[Cells]:
        source = f"tushare {self._version} {name}"
        span = {"start_date": compact(first), "end_date": compact(last)} if first and last else {}

        def ask() -> list[Cells]:
            frame = self._api.query(name, fields=",".join(columns), ts_code=str(stock), **span)
            if not len(frame.columns):  # so it tells of an HTTP status that is not 200
                raise failures.no_connection(source, "HTTP")
            return rows_of(frame, columns, source)

        return Rows(tuple(self._calls(source, ask)), source)

    def _failure(self, error: Exception, source: str) -> MarketDataError:
        """Our error for Tushare's, which are plain exceptions with a Chinese sentence."""
        if isinstance(error, self._broken | JSONDecodeError):
            return failures.no_connection(source, type(error).__name__)
        if type(error) is not Exception:
            return failures.changed(source, type(error).__name__)
        said = str(error)
        if "token" in said.lower():
            return failures.wrong_token(source)
        if "最多访问" in said:
            return failures.too_often(source)
        return failures.no_permission(source) if "权限" in said else failures.changed(source, "refused")


def _bar(row: Cells) -> DailyBar | None:
    found, prices = day(row["trade_date"]), [number(row[name]) for name in ("open", "high", "low", "close")]
    volume = times(number(row["vol"]), LOT)
    if found is None or None in prices or not volume:
        return None
    open_, high, low, close = (price for price in prices if price is not None)
    amount = times(number(row["amount"]), THOUSAND)
    return DailyBar(found, open_, high, low, close, number(row["pre_close"]), volume, amount)


def _with_turnover(bar: DailyBar, rate: float | None) -> DailyBar:
    return replace(bar, turnover_rate=rate)


def _valuation(row: Cells) -> ValuationDay | None:
    found = day(row["trade_date"])
    if found is None:
        return None
    value, shares = (times(number(row[name]), TEN_THOUSAND) for name in ("total_mv", "total_share"))
    return ValuationDay(found, value, shares, *(number(row[name]) for name in ("pe_ttm", "pb", "ps_ttm")))


def _report(end: date, parts: Iterable[Mapping[date, Cells]]) -> Report:
    rows = [part.get(end, {}) for part in parts]
    figures: dict[str, Any] = {
        field: number(row.get(name))
        for row, fields in zip(rows, (_INCOME, _CASH_FLOW, _INDICATORS), strict=True)
        for field, name in fields.items()
    }
    return Report(end, max(row["known"] for row in rows if row), **figures)


def _dividend(row: Cells) -> Dividend | None:
    end, ex_day = day(row["end_date"]), day(row["ex_date"])
    if end is None or ex_day is None or row["div_proc"] != "实施":
        return None
    return Dividend(end, ex_day, number(row["cash_div_tax"]) or 0.0, number(row["stk_div"]) or 0.0)
