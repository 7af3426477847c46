"""What every source has to do: one story, one dossier, whatever units and words the source has."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from examples.committee.domain.ports.market_data import MarketDataPort
from examples.committee.domain.stock_code import StockCode
from examples.committee.tests.market_data import story
from examples.committee.tests.market_data.asking import akshare, built, tushare_at
from examples.committee.tests.market_data.eastmoney import Eastmoney
from examples.committee.tests.market_data.fake_source import FakeMarketData
from examples.committee.tests.market_data.tushare_server import Tushare

STOCK = StockCode.read(story.CODE)
FIRST = date(2025, 1, 2)


@pytest.fixture(params=["akshare", "tushare", "fake"])
def source(request: pytest.FixtureRequest, eastmoney: Eastmoney, tushare: Tushare) -> MarketDataPort:
    del eastmoney  # it answers whatever AKShare asks
    if request.param == "fake":
        return FakeMarketData()
    return akshare() if request.param == "akshare" else tushare_at(tushare)


def test_profile_is_one_row(source: MarketDataPort) -> None:
    assert source.profile(STOCK).rows == (story.PROFILE,)


def test_bars_are_in_yuan_and_single_shares_with_the_exchanges_reference(source: MarketDataPort) -> None:
    found = {bar.day: bar for bar in source.daily_bars(STOCK, FIRST, story.AS_OF).rows}
    for told in story.bars(first=FIRST + timedelta(days=1)):
        bar = found[told.day]
        assert (bar.open, bar.high, bar.low, bar.close) == (told.open, told.high, told.low, told.close)
        assert bar.reference == pytest.approx(told.reference, abs=0.001)
        assert bar.volume == pytest.approx(told.volume)
        assert bar.amount == pytest.approx(told.amount)
    assert found[story.AS_OF].turnover_rate == story.bars()[-1].turnover_rate


def test_market_value_is_in_yuan_and_shares_are_single(source: MarketDataPort) -> None:
    found = {day.day: day for day in source.valuation(STOCK, FIRST, story.AS_OF).rows}
    told = story.valuation()[-1]
    assert found[story.AS_OF].market_value == pytest.approx(told.market_value)
    assert found[story.AS_OF].shares == pytest.approx(told.shares)
    assert (found[story.AS_OF].pe_ttm, found[story.AS_OF].pb, found[story.AS_OF].ps_ttm) == (
        told.pe_ttm,
        told.pb,
        told.ps_ttm,
    )


def test_reports_are_in_yuan_with_the_day_they_were_public(source: MarketDataPort) -> None:
    found = {report.period_end: report for report in source.reports(STOCK, date(2022, 1, 1), story.AS_OF).rows}
    assert found == {report.period_end: report for report in story.reports()}


def test_dividends_are_for_one_share(source: MarketDataPort) -> None:
    found = sorted(source.dividends(STOCK, story.AS_OF).rows, key=lambda one: one.ex_day)
    assert found == list(story.DIVIDENDS)


def test_announcements_have_title_and_day(source: MarketDataPort) -> None:
    found = source.announcements(STOCK, date(2025, 8, 1), story.AS_OF).rows
    days = {one.published: one.title for one in found if one.published > date(2025, 8, 1)}
    assert set(days) == {one.published for one in story.ANNOUNCEMENTS[1:]}
    assert all(one.title in days[one.published] for one in story.ANNOUNCEMENTS[1:])


@pytest.mark.parametrize("as_of", [story.AS_OF, date(2024, 6, 17), date(2025, 4, 24)])
def test_dossier_is_that_of_the_story(source: MarketDataPort, as_of: date) -> None:
    found, told = built(source, as_of).dossier, built(FakeMarketData(), as_of).dossier
    for name in ("stock", "technical", "price_history", "financial", "valuation"):
        assert getattr(found, name) == getattr(told, name)
    assert found.macro is None


def test_everything_says_its_source(source: MarketDataPort) -> None:
    found = built(source)
    assert found.notes.gaps == []
    assert [line.zh.partition("：")[0] for line in found.notes.sources] == [
        *("公司", "日线", "分红送转", "估值", "财务报表", "公司公告")
    ]


def test_libraries_say_nothing_of_their_own(source: MarketDataPort, capfd: pytest.CaptureFixture[str]) -> None:
    built(source)
    assert capfd.readouterr() == ("", "")
