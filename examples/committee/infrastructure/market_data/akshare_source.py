"""AKShare: what Eastmoney publishes, without an account.

AKShare's units: 成交量 in 手, 成交额 in yuan, 总市值 in yuan, distributions for ten shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
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
from examples.committee.domain.price_series import reference_price
from examples.committee.domain.stock_code import StockCode
from examples.committee.infrastructure.market_data import failures
from examples.committee.infrastructure.market_data.calls import Calls
from examples.committee.infrastructure.market_data.cells import (
    LOT,
    PER_TEN,
    Cells,
    compact,
    day,
    number,
    rows_of,
    text,
    times,
)
from examples.committee.infrastructure.market_data.settings import MarketDataSettings

_REPORT: Final = {
    "revenue": "TOTALOPERATEREVE",
    "net_profit": "PARENTNETPROFIT",
    "deducted_net_profit": "KCFJCXSYJLR",
    "operating_cash_flow": "NETCASH_OPERATE_PK",
    "revenue_growth": "TOTALOPERATEREVETZ",
    "net_profit_growth": "PARENTNETPROFITTZ",
    "gross_margin": "XSMLL",
    "net_margin": "XSJLL",
    "roe": "ROEJQ",
    "book_value_per_share": "BPS",
    "debt_to_assets": "ZCFZL",
    "current_ratio": "LD",
    "quick_ratio": "SD",
    "receivable_days": "YSZKZZTS",
    "inventory_days": "CHZZTS",
}
"""Eastmoney's names; a bank's reports lack some of them."""
_BAR: Final = ("日期", "开盘", "收盘", "最高", "最低", "成交量", "成交额", "换手率")
_CASH, _NEW_SHARES = "现金分红-现金分红比例", "送转股份-送转总比例"
_NO_NOTICES = "代码"
"""The column that AKShare misses where there is no announcement at all."""
_COMPARED: Final = timedelta(days=30)


class AkshareMarketData:
    """AKShare behind `MarketDataPort`.

    Args:
        settings: time limit and attempts.

    Raises:
        MarketDataSettingsError: AKShare is not installed.
    """

    def __init__(self, settings: MarketDataSettings) -> None:
        with failures.needs_extra("akshare"):
            import akshare  # type: ignore[import-untyped]  # noqa: PLC0415 - it takes a second, with pandas
            import requests  # noqa: PLC0415 - as above
        self._library = akshare
        self._broken = requests.RequestException
        self._timeout = settings.market_data_timeout
        self._calls = Calls(self._timeout, settings.market_data_attempts, self._failure)
        self._distributions: dict[StockCode, tuple[Dividend, ...] | DataNotOfferedError] = {}

    def profile(self, stock: StockCode) -> Rows[Profile]:
        """Name and industry of today."""
        source = self._name("stock_individual_info_em")

        def ask() -> Profile:
            try:
                frame = self._library.stock_individual_info_em(symbol=stock.digits, timeout=self._timeout)
            except self._broken:
                raise
            except ValueError:  # it makes a table of no data at all
                raise failures.unknown_stock(str(stock), source) from None
            items = {row["item"]: row["value"] for row in rows_of(frame, ("item", "value"), source)}
            name = text(items.get("股票简称"))
            if name is None:
                raise failures.unknown_stock(str(stock), source)
            return Profile(name, text(items.get("行业")))

        return Rows((self._calls(source, ask),), source)

    def daily_bars(self, stock: StockCode, first: date, last: date) -> Rows[DailyBar]:
        """Bars as traded; the references are worked out with the distributions, where those are known."""
        source = self._name("stock_zh_a_hist")
        bars = self._bars(stock, first, last, "", source)
        try:
            dividends = self.dividends(stock, last).rows
        except DataNotOfferedError:
            return Rows(bars, source)
        return Rows(_with_references(bars, dividends), source)

    def valuation(self, stock: StockCode, first: date, last: date) -> Rows[ValuationDay]:
        """Eastmoney's daily multiples."""
        source = self._name("stock_value_em")
        columns = ("数据日期", "总市值", "总股本", "PE(TTM)", "市净率", "市销率")

        def ask() -> tuple[ValuationDay, ...]:
            rows = rows_of(self._library.stock_value_em(symbol=stock.digits), columns, source)
            dated = ((day(row["数据日期"]), row) for row in rows)
            return tuple(
                ValuationDay(found, *(number(row[name]) for name in columns[1:]))
                for found, row in dated
                if found and first <= found <= last
            )

        return Rows(self._calls(source, ask), source)

    def reports(self, stock: StockCode, first: date, last: date) -> Rows[Report]:
        """Eastmoney's main figures; known from their last correction on, since only corrected figures are kept."""
        source = self._name("stock_financial_analysis_indicator_em")
        needed = ("REPORT_DATE", "NOTICE_DATE", "TOTALOPERATEREVE", "PARENTNETPROFIT")

        def ask() -> tuple[Report, ...]:
            frame = self._library.stock_financial_analysis_indicator_em(symbol=str(stock), indicator="按报告期")
            found = map(_report, rows_of(frame, needed, source))
            return tuple(one for one in found if one and first <= one.period_end <= last)

        return Rows(self._calls(source, ask), source)

    def dividends(self, stock: StockCode, last: date) -> Rows[Dividend]:
        """Distributions that were carried out; asked once for each stock."""
        source = self._name("stock_fhps_detail_em")
        if stock not in self._distributions:
            self._distributions[stock] = self._known_dividends(stock, last, source)
        known = self._distributions[stock]
        if isinstance(known, DataNotOfferedError):
            raise known
        return Rows(known, source)

    def announcements(self, stock: StockCode, first: date, last: date) -> Rows[Announcement]:
        """Titles of Eastmoney's collection of announcements."""
        source = self._name("stock_individual_notice_report")
        columns = ("公告标题", "公告类型", "公告日期", "网址")

        def ask() -> tuple[Announcement, ...]:
            try:
                frame = self._library.stock_individual_notice_report(
                    security=stock.digits, symbol="全部", begin_date=compact(first), end_date=compact(last)
                )
            except KeyError as error:
                if error.args == (_NO_NOTICES,):
                    return ()
                raise
            found = (_announcement(row) for row in rows_of(frame, columns, source))
            return tuple(one for one in found if one and first <= one.published <= last)

        return Rows(self._calls(source, ask), source)

    def _bars(self, stock: StockCode, first: date, last: date, adjust: str, source: str) -> tuple[DailyBar, ...]:
        def ask() -> tuple[DailyBar, ...]:
            frame = self._library.stock_zh_a_hist(
                symbol=stock.digits,
                period="daily",
                start_date=compact(first),
                end_date=compact(last),
                adjust=adjust,
                timeout=self._timeout,
            )
            rows = [] if frame.empty else rows_of(frame, _BAR, source)
            return tuple(one for row in rows if (one := _bar(row)))

        return self._calls(source, ask)

    def _known_dividends(self, stock: StockCode, last: date, source: str) -> tuple[Dividend, ...] | DataNotOfferedError:
        try:
            return self._calls(source, partial(self._dividends, stock, source))
        except DataNotOfferedError as error:
            return () if self._never_distributed(stock, last) else error

    def _dividends(self, stock: StockCode, source: str) -> tuple[Dividend, ...]:
        columns = ("报告期", "除权除息日", _CASH, _NEW_SHARES, "方案进度")
        frame = self._library.stock_fhps_detail_em(symbol=stock.digits)
        return tuple(one for row in rows_of(frame, columns, source) if (one := _dividend(row)))

    def _never_distributed(self, stock: StockCode, last: date) -> bool:
        """Whether prices that are adjusted for all distributions since the listing are those as traded.

        Of a share without any, Eastmoney answers as it does where something is wrong.
        """
        source = self._name("stock_zh_a_hist")
        traded, adjusted = (self._bars(stock, last - _COMPARED, last, adjust, source) for adjust in ("", "hfq"))
        return bool(traded) and [bar.close for bar in traded] == [bar.close for bar in adjusted]

    def _name(self, function: str) -> str:
        return f"akshare {self._library.__version__} {function}"

    def _failure(self, error: Exception, source: str) -> MarketDataError:
        """Our error for AKShare's and for those of what it uses."""
        vendor, reason = self._library.exceptions, type(error).__name__
        if isinstance(error, vendor.RateLimitError):
            return failures.too_often(source)
        if isinstance(error, vendor.AkshareException):
            return failures.gave_up(source, reason)
        if isinstance(error, self._broken):
            return failures.no_connection(source, reason)
        if isinstance(error, TypeError):  # it looks into an answer that is null
            return failures.no_records(source)
        return failures.changed(source, reason)


def _bar(row: Cells) -> DailyBar | None:
    found, prices = day(row["日期"]), [number(row[name]) for name in ("开盘", "最高", "最低", "收盘")]
    volume = times(number(row["成交量"]), LOT)
    if found is None or None in prices or not volume:
        return None
    open_, high, low, close = (price for price in prices if price is not None)
    more: dict[str, Any] = {"amount": number(row["成交额"]), "turnover_rate": number(row["换手率"])}
    return DailyBar(found, open_, high, low, close, volume=volume, **more)


def _with_references(bars: Sequence[DailyBar], dividends: Sequence[Dividend]) -> tuple[DailyBar, ...]:
    """Each bar with the close before it, less what went ex since; the first has none."""
    found, before = [], None
    for bar in sorted(bars, key=lambda one: one.day):
        if before:
            gone = [one for one in dividends if before.day < one.ex_day <= bar.day]
            bar = replace(bar, reference=reference_price(before.close, gone))  # noqa: PLW2901 - the same day, completed
        found.append(bar)
        before = bar
    return tuple(found)


def _report(row: Cells) -> Report | None:
    end, announced, corrected = (day(row.get(name)) for name in ("REPORT_DATE", "NOTICE_DATE", "UPDATE_DATE"))
    if end is None or announced is None or row.get("CURRENCY", "CNY") not in ("CNY", None):
        return None
    figures = {field: number(row.get(name)) for field, name in _REPORT.items()}
    return Report(end, max(announced, corrected or announced), **figures)


def _dividend(row: Cells) -> Dividend | None:
    end, ex_day = day(row["报告期"]), day(row["除权除息日"])
    if end is None or ex_day is None or "实施" not in str(row["方案进度"]):
        return None
    cash, new_shares = ((number(row[name]) or 0.0) / PER_TEN for name in (_CASH, _NEW_SHARES))
    return Dividend(end, ex_day, cash, new_shares)


def _announcement(row: Cells) -> Announcement | None:
    title, kind, published = text(row["公告标题"]), text(row["公告类型"]), day(row["公告日期"])
    if title is None or published is None:
        return None
    return Announcement(published, f"{title}（{kind}）" if kind else title, "东方财富公告", text(row["网址"]))
