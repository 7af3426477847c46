"""A dossier from a source of market data: nothing that was not public on its day, nothing guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from operator import attrgetter
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from examples.committee.application.dossier.bars import checked_bars
from examples.committee.application.dossier.catalyst import catalyst_section
from examples.committee.application.dossier.financial import financial_section
from examples.committee.application.dossier.notes import Notes
from examples.committee.application.dossier.technical import technical_section
from examples.committee.application.dossier.valuation import FIVE_YEARS, valuation_section
from examples.committee.domain.dossier import Dossier
from examples.committee.domain.exceptions import DataNotOfferedError, MarketDataSettingsError, UnknownStockError
from examples.committee.domain.ports.market_data import (
    Announcement,
    DailyBar,
    Dividend,
    MarketDataPort,
    Report,
    Rows,
    ValuationDay,
)
from examples.committee.domain.price_series import adjusted
from examples.committee.domain.stock_code import StockCode
from src.shared.domain.language import Message

RowT = TypeVar("RowT")

SHANGHAI: Final = timezone(timedelta(hours=8))
READY_AT: Final = 17
"""The hour in Shanghai at which the sources have the day's figures."""
BAR_DAYS: Final = 800
"""Calendar days of bars that are asked for: enough for the longest average after its warm-up."""
REPORT_YEARS: Final = 3
NEWS_DAYS: Final = 90
NAME_LIMIT: Final = 200
HISTORY_DAYS: Final = 250
"""Closes that the dossier carries for its chart."""


@dataclass(frozen=True, slots=True)
class BuiltDossier:
    """A dossier and where it comes from.

    Attributes:
        dossier: to give to the committee.
        notes: sources with their days, and what could not be had.
    """

    dossier: Dossier
    notes: Notes


class DossierBuilder:
    """Makes dossiers from one source.

    Args:
        connect: makes the source of market data, once it is known that there is something to ask.
        now: the time, with its zone.
    """

    def __init__(self, connect: Callable[[], MarketDataPort], now: Callable[[], datetime]) -> None:
        self._connect = connect
        self._now = now

    def build(self, symbol: str, as_of: date | None = None) -> BuiltDossier:
        """Make the dossier of a stock.

        Args:
            symbol: an A share's code, in any spelling.
            as_of: the last day whose figures are used; the last day that is over, if None.

        Raises:
            UnknownStockError: there is no such stock, or it was not traded up to that day.
            MarketDataError: the source cannot be used, did not answer, or lacks prices.
        """
        stock, last = StockCode.read(symbol), self._last_day(as_of)
        source, notes = self._connect(), Notes()
        profile = source.profile(stock)
        (company,) = profile.rows
        notes.used(Message("公司", "company"), profile.source, self._today(), 1)
        sections = self._sections(source, stock, last, notes)
        head = {
            "symbol": str(stock),
            "name": company.name[:NAME_LIMIT],
            "as_of": last,
            "exchange": stock.exchange.full_name,
            "industry": company.industry and company.industry[:NAME_LIMIT],
        }
        return BuiltDossier(_dossier({"stock": head, **sections}, notes), notes)

    def _sections(self, source: MarketDataPort, stock: StockCode, last: date, notes: Notes) -> dict[str, Any]:
        bars, bars_from = self._bars(source, stock, last, notes)
        asked = _Asked(source, stock, last, notes)
        dividends, days, reports = asked.dividends(), asked.valuation(), asked.reports()
        if days and days[-1].day != bars[-1].day:
            why = Message(f"来源的估值只到 {days[-1].day}", f"the source has none after {days[-1].day}")
            notes.missing(Message("末日估值", "the last day's multiples"), why)
        series = adjusted(bars)
        if len(series) < len(bars):
            why = Message(
                f"{series[0].bar.day} 之前的除权除息未知，价格不可比，相关指标从缺",
                f"what the share went ex before {series[0].bar.day} is not known; indicators that need it are left out",
            )
            notes.missing(Message("复权", "adjusted prices"), why)
        financial = financial_section(reports, dividends, days[-1].shares if days else None) if reports else {}
        history = [{"date": one.bar.day, "close": round(one.bar.close, 3)} for one in series[-HISTORY_DAYS:]]
        found = {
            "technical": technical_section(series),
            "price_history": history,
            "financial": financial,
            "valuation": valuation_section(bars[-1], days, dividends, financial),
            "catalyst": catalyst_section(asked.announcements(), bars[-1].day, last, bars_from),
        }
        return {name: section for name, section in found.items() if section}

    def _bars(self, source: MarketDataPort, stock: StockCode, last: date, notes: Notes) -> tuple[list[DailyBar], str]:
        """The bars up to the day, and who gave them."""
        answer = source.daily_bars(stock, last - timedelta(days=BAR_DAYS), last)
        bars = checked_bars(answer.rows, last, answer.source, notes)
        if not bars:
            zh, en = f"{stock} 截至 {last} 没有成交记录", f"{stock} was not traded up to {last}"
            gloss = "not traded up to that day: not listed yet, delisted or suspended"
            raise UnknownStockError(Message.glossed(zh, en, gloss).text(), {"source": answer.source})
        notes.used(Message("日线", "daily bars"), answer.source, bars[-1].day, len(bars))
        return bars, answer.source

    def _last_day(self, as_of: date | None) -> date:
        """The last day to look at; a day that is not over has no close yet."""
        over = self._today() if self._now().astimezone(SHANGHAI).hour >= READY_AT else self._today() - timedelta(days=1)
        if as_of and as_of > over:
            zh = f"{as_of} 的数据还不完整；最晚可取 {over}（北京时间 {READY_AT} 时后可取当日）"
            en = f"the figures of {as_of} are not complete; the latest day is {over} ({READY_AT}:00 in Beijing: today)"
            raise MarketDataSettingsError(Message.glossed(zh, en, f"the latest day is {over}").text())
        return as_of or over

    def _today(self) -> date:
        return self._now().astimezone(SHANGHAI).date()


def _dossier(content: dict[str, Any], notes: Notes) -> Dossier:
    """The dossier without what cannot be true, such as a ratio below 0 that has to be above; each is noted."""
    try:
        Dossier.model_validate({"version": 1, **content})
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False, include_context=False):
            section, name = map(str, problem["loc"][:2])
            notes.missing(Message(name, name), Message("来源的值越界", "the source's value is out of bounds"))
            content[section].pop(name, None)
    return Dossier.model_validate({"version": 1, "note": notes.text(), **content})


class _Asked:
    """Asks for what a dossier can do without; what the source does not give is noted."""

    def __init__(self, source: MarketDataPort, stock: StockCode, last: date, notes: Notes) -> None:
        self._source = source
        self._stock = stock
        self._last = last
        self._notes = notes

    def dividends(self) -> list[Dividend]:
        """Those of which the share went ex."""
        what = Message("分红送转", "dividends")
        return self._public(what, lambda: self._source.dividends(self._stock, self._last), attrgetter("ex_day"))

    def valuation(self) -> list[ValuationDay]:
        """The multiples of five years."""
        first = self._last - FIVE_YEARS - timedelta(days=10)
        what, day = Message("估值", "multiples"), attrgetter("day")
        return self._public(what, lambda: self._source.valuation(self._stock, first, self._last), day)

    def reports(self) -> list[Report]:
        """The reports on the last years; of two on one period the later is the later in the list."""
        first = date(self._last.year - REPORT_YEARS, 1, 1)
        what, day = Message("财务报表", "reports"), attrgetter("known_on")
        return self._public(what, lambda: self._source.reports(self._stock, first, self._last), day)

    def announcements(self) -> list[Announcement]:
        """What the company announced lately."""
        first = self._last - timedelta(days=NEWS_DAYS)
        what, day = Message("公司公告", "announcements"), attrgetter("published")
        return self._public(what, lambda: self._source.announcements(self._stock, first, self._last), day)

    def _public(self, what: Message, ask: Callable[[], Rows[RowT]], day_of: Callable[[RowT], date]) -> list[RowT]:
        """The rows that were public on the last day, the earliest first."""
        try:
            answer = ask()
        except DataNotOfferedError as error:
            self._notes.missing(what, Message(error.message, error.message, error.message))
            return []
        rows = sorted((row for row in answer.rows if day_of(row) <= self._last), key=day_of)
        if rows:
            self._notes.used(what, answer.source, day_of(rows[-1]), len(rows))
        else:
            self._notes.missing(what, Message(f"{answer.source} 没有记录", f"{answer.source} has none"))
        return rows
