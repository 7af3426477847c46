"""A dossier holds what was public on its day, in its units, and says what it lacks."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from statistics import fmean
from typing import Any

import pytest

from examples.committee.application.dossier.builder import BuiltDossier, DossierBuilder
from examples.committee.application.dossier.notes import TEXT_LIMIT
from examples.committee.domain.exceptions import (
    DataNotOfferedError,
    MarketDataSettingsError,
    MarketDataUnavailableError,
    UnknownStockError,
)
from examples.committee.domain.ports.market_data import Announcement, Dividend, Profile, Report, ValuationDay
from examples.committee.infrastructure.dossier_reader import read_dossier
from examples.committee.tests.market_data import story
from examples.committee.tests.market_data.fake_source import FakeMarketData
from src.shared.domain.language import VARIABLE

EVENING = datetime(2025, 11, 21, 9, 0, tzinfo=UTC)
"""17:00 in Beijing on the story's day."""


def built(source: FakeMarketData | None = None, as_of: date | None = None, now: datetime = EVENING) -> BuiltDossier:
    return DossierBuilder(lambda: source or FakeMarketData(), lambda: now).build("688999", as_of)


def section(name: str, source: FakeMarketData | None = None, as_of: date | None = None) -> Any:  # noqa: ANN401 - JSON
    found: Any = built(source, as_of).dossier.model_dump(exclude_none=True).get(name, {})
    return found


def told(name: str, change: Callable[[Any], Any]) -> FakeMarketData:
    """The story, with one kind of rows changed."""
    source = FakeMarketData()
    source.told[name] = [change(row) for row in source.told[name]]
    return source


def without(*names: str) -> FakeMarketData:
    source = FakeMarketData()
    source.told |= dict.fromkeys(names, ())
    return source


# --- units and figures ---------------------------------------------------------------------------------------


def test_head_names_the_stock_and_the_day() -> None:
    assert section("stock") == {
        "symbol": "688999.SH",
        "name": "临溪传感",
        "as_of": story.AS_OF,
        "currency": "CNY",
        "exchange": "上海证券交易所",
        "industry": "工业传感器",
    }


def test_prices_are_the_last_days_and_the_volume_is_in_ten_thousand_shares() -> None:
    last, technical = story.bars()[-1], section("technical")
    assert [technical[name] for name in ("open", "high", "low", "close")] == [
        last.open,
        last.high,
        last.low,
        last.close,
    ]
    assert technical["volume"] == (last.volume or 0) / 10_000
    assert technical["turnover_rate"] == last.turnover_rate
    assert technical["change_1d"] == pytest.approx((last.close / (last.reference or 0) - 1) * 100, abs=0.005)


def test_averages_are_those_of_adjusted_closes() -> None:
    """The dividend of June lies between; before it each close counts for what it was worth after it."""
    bars, paid = story.bars(), story.DIVIDENDS[1]
    before = [bar for bar in bars if bar.day < paid.ex_day][-1]
    factor = round(before.close - paid.cash, 2) / before.close
    closes = [bar.close * (factor if bar.day < paid.ex_day else 1) for bar in bars]
    technical = section("technical")
    assert technical["ma20"] == pytest.approx(fmean(closes[-20:]), abs=0.001)
    assert technical["ma120"] == pytest.approx(fmean(closes[-120:]), abs=0.001)
    assert section("price_history")[-120]["close"] == pytest.approx(closes[-120], abs=0.001)


def test_new_shares_are_no_fall_of_the_price() -> None:
    """In June 2024 the price fell by a quarter in one day, since everybody got three new shares for ten."""
    as_of = date(2024, 6, 17)
    bars = [bar for bar in story.bars() if bar.day <= as_of]
    assert bars[-1].close / bars[-2].close < 0.8
    technical = section("technical", as_of=as_of)
    assert abs(technical["change_1d"]) < 3
    assert technical["ma5"] == pytest.approx(technical["close"], rel=0.05)
    assert "volume_ratio" not in technical  # five days before counted other shares


def test_volume_ratio_is_against_the_five_days_before() -> None:
    volumes = [bar.volume or 0 for bar in story.bars()]
    assert section("technical")["volume_ratio"] == pytest.approx(volumes[-1] / fmean(volumes[-6:-1]), abs=0.005)


def test_levels_are_below_and_above_the_price_from_near_to_far() -> None:
    technical = section("technical")
    close, support, resistance = (technical[name] for name in ("close", "support_levels", "resistance_levels"))
    assert support == sorted(support, reverse=True)
    assert max(support) < close < min(resistance)
    assert resistance == sorted(resistance)
    levels = [*support, *resistance]
    assert all(abs(one / other - 1) > 0.009 for one in support for other in support if one != other)
    assert len(levels) == 6


def test_high_and_low_are_those_of_52_weeks() -> None:
    technical = section("technical")
    year = [bar for bar in story.bars() if bar.day > story.AS_OF - timedelta(weeks=52)]
    assert technical["high_52w"] <= max(bar.high for bar in year)
    assert technical["low_52w"] < technical["close"] < technical["high_52w"]


def test_amounts_of_reports_are_in_hundred_millions() -> None:
    financial = section("financial")
    assert financial["report_period"] == "2025Q3"
    assert financial["quarters"][0]["revenue"] == pytest.approx(4.0)
    assert financial["revenue_ttm"] == pytest.approx(4.0 + 3.9 + 3.8 + 3.7)
    assert financial["net_profit_ttm"] == pytest.approx(0.16 * 15.4)


def test_quarters_stand_alone_and_the_latest_is_first() -> None:
    quarters = section("financial")["quarters"]
    assert [row["quarter"] for row in quarters[:5]] == ["2025Q3", "2025Q2", "2025Q1", "2024Q4", "2024Q3"]
    assert [row["revenue"] for row in quarters] == pytest.approx([4.0, 3.9, 3.8, 3.7, 3.6, 3.5, 3.4, 3.3])


def test_figures_a_share_count_all_shares_and_the_return_on_equity_is_of_a_year() -> None:
    financial = section("financial")
    assert financial["eps_ttm"] == pytest.approx(0.16 * 15.4e8 / story.SHARES, abs=0.001)
    assert financial["cash_flow_per_share"] == pytest.approx(0.1 * 15.4e8 / story.SHARES, abs=0.001)
    assert financial["cash_to_profit"] == pytest.approx(0.1 / 0.16, abs=0.01)
    assert financial["roe"] == pytest.approx(13.0)
    assert financial["dividend_per_share"] == 0.25


def test_last_year_is_taken_as_it_is_when_its_report_is_the_latest() -> None:
    financial = section("financial", as_of=date(2025, 4, 28))
    assert financial["report_period"] == "2024Q4"
    assert financial["revenue_ttm"] == pytest.approx(3.4 + 3.5 + 3.6 + 3.7)
    assert financial["roe"] == pytest.approx(13.0)


def test_market_value_and_shares_are_in_hundred_millions() -> None:
    valuation, last = section("valuation"), story.valuation()[-1]
    assert valuation["market_cap"] == pytest.approx((last.market_value or 0) / 1e8)
    assert valuation["shares"] == 2.21
    assert valuation["pe_ttm"] == last.pe_ttm
    assert valuation["dividend_yield"] == pytest.approx(0.25 / valuation["price"] * 100, abs=0.005)
    financial = section("financial")
    expected = (22.5 * financial["eps_ttm"] * financial["book_value_per_share"]) ** 0.5
    assert valuation["graham_value"] == pytest.approx(expected, abs=0.001)


def test_percentile_is_among_five_years() -> None:
    source = told("valuation", lambda day: replace(day, pe_ttm=20.0 if day.day < story.AS_OF else 30.0))
    assert section("valuation", source)["pe_percentile_5y"] == 100


def test_every_announcement_has_its_day_and_the_latest_is_first() -> None:
    events = section("catalyst")["company_events"]
    assert [str(event["published"]) for event in events] == ["2025-11-10", "2025-10-30", "2025-07-01"]


def test_dossier_is_one_that_the_committee_reads() -> None:
    dossier = built().dossier
    assert read_dossier(dossier.model_dump_json(exclude_none=True)) == dossier


def test_note_says_where_the_figures_come_from_and_of_which_day(monkeypatch: pytest.MonkeyPatch) -> None:
    note = built().dossier.note or ""
    assert "日线：fake daily_bars，至 2025-11-21，" in note
    assert "财务报表：fake reports，至 2025-10-29，11 条" in note
    assert "未取得" not in note
    monkeypatch.setenv(VARIABLE, "en")
    assert "- reports: fake reports, to 2025-10-29, rows: 11" in (built().dossier.note or "")


# --- nothing from later ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_of", [date(2025, 6, 13), date(2025, 8, 15), date(2024, 6, 14), date(2025, 4, 24)])
def test_what_comes_later_changes_nothing(as_of: date) -> None:
    """The source tells of later days, later reports and later dividends; the dossier is as if it did not."""
    past = FakeMarketData()
    past.told["daily_bars"] = [bar for bar in past.told["daily_bars"] if bar.day <= as_of]
    past.told["valuation"] = [day for day in past.told["valuation"] if day.day <= as_of]
    past.told["reports"] = [report for report in past.told["reports"] if report.known_on <= as_of]
    past.told["dividends"] = [one for one in past.told["dividends"] if one.ex_day <= as_of]
    past.told["announcements"] = [one for one in past.told["announcements"] if one.published <= as_of]
    assert built(as_of=as_of).dossier == built(past, as_of=as_of).dossier


def test_report_counts_from_its_announcement_and_not_from_the_end_of_its_period() -> None:
    assert section("financial", as_of=date(2025, 10, 28))["report_period"] == "2025Q2"
    assert section("financial", as_of=date(2025, 10, 29))["report_period"] == "2025Q3"


def test_of_two_versions_the_later_that_was_public_counts() -> None:
    source = FakeMarketData()
    last: Report = source.told["reports"][-1]
    source.told["reports"].insert(0, replace(last, known_on=date(2025, 11, 20), gross_margin=39.0))
    assert section("financial", source)["gross_margin"] == 39.0
    assert section("financial", source, date(2025, 11, 19))["gross_margin"] == 41.25


@pytest.mark.parametrize(("hour", "day"), [(8, "2025-11-20"), (9, "2025-11-21")])
def test_without_a_date_it_is_the_last_day_that_is_over_in_beijing(hour: int, day: str) -> None:
    found = built(now=datetime(2025, 11, 21, hour, 59, tzinfo=UTC)).dossier
    assert str(found.stock.as_of) == day
    assert found.price_history is not None
    assert str(found.price_history[-1].date) == day


def test_day_that_is_not_over_is_refused() -> None:
    with pytest.raises(MarketDataSettingsError, match="2025-11-22 的数据还不完整；最晚可取 2025-11-21"):
        built(as_of=date(2025, 11, 22))


def test_value_that_cannot_be_true_is_left_out_and_named() -> None:
    source = told("reports", lambda report: replace(report, inventory_days=-3.0, current_ratio=-1.0))
    found = built(source)
    assert not {"inventory_days", "current_ratio"} & found.dossier.model_dump(exclude_none=True)["financial"].keys()
    assert [gap.zh for gap in found.notes.gaps] == ["current_ratio：来源的值越界", "inventory_days：来源的值越界"]
    assert "inventory_days" in (found.dossier.note or "")


# --- what is missing ------------------------------------------------------------------------------------------


def test_new_listing_has_no_figure_that_needs_more_days() -> None:
    source = FakeMarketData()
    source.told["daily_bars"] = source.told["daily_bars"][-8:]
    technical = section("technical", source)
    assert {"close", "ma5", "change_1d", "volume_ratio"} <= technical.keys()
    assert not {"ma10", "rsi6", "macd_dif", "kdj_k", "atr14", "high_52w", "change_20d"} & technical.keys()


def test_one_day_of_trade_is_a_dossier() -> None:
    source = FakeMarketData()
    source.told["daily_bars"] = [replace(source.told["daily_bars"][-1], reference=None)]
    technical = section("technical", source)
    assert technical["close"] == story.bars()[-1].close
    assert "change_1d" not in technical


def test_name_of_a_share_with_a_risk_warning_stays() -> None:
    source = FakeMarketData()
    source.told["profile"] = [Profile("*ST临溪")]
    assert section("stock", source)["name"] == "*ST临溪"
    assert "industry" not in section("stock", source)


def test_suspended_share_is_said_to_be_suspended() -> None:
    source = FakeMarketData()
    source.told["daily_bars"] = [bar for bar in source.told["daily_bars"] if bar.day <= date(2025, 11, 7)]
    event = section("catalyst", source)["company_events"][0]
    assert "最近一个有成交的交易日为 2025-11-07，至 2025-11-21 再无成交记录" in event["text"]
    assert (event["source"], event["published"]) == ("fake daily_bars", story.AS_OF)
    assert section("technical", source)["close"] == story.bars(date(2025, 11, 7))[-1].close


def test_a_holiday_is_no_suspension() -> None:
    source = without("announcements")
    source.told["daily_bars"] = [bar for bar in source.told["daily_bars"] if bar.day <= date(2025, 11, 10)]
    assert section("catalyst", source) == {}


def test_gap_in_the_days_is_no_day_of_its_own() -> None:
    source = FakeMarketData()
    away = (date(2025, 10, 1), date(2025, 10, 31))
    source.told["daily_bars"] = [bar for bar in source.told["daily_bars"] if not away[0] <= bar.day <= away[1]]
    history = section("price_history", source)
    assert not [one for one in history if away[0] <= one["date"] <= away[1]]


def test_stock_that_was_not_traded_is_unknown() -> None:
    with pytest.raises(UnknownStockError, match="截至 2025-11-21 没有成交记录"):
        built(without("daily_bars"))


def test_whatever_else_is_missing_is_named_and_left_out() -> None:
    found = built(without("valuation", "reports", "dividends", "announcements"))
    assert found.dossier.financial is None
    assert found.dossier.catalyst is None
    assert found.dossier.valuation is not None
    assert found.dossier.valuation.model_dump(exclude_none=True) == {"price": story.bars()[-1].close}
    assert [gap.zh for gap in found.notes.gaps] == [
        "分红送转：fake dividends 没有记录",
        "估值：fake valuation 没有记录",
        "财务报表：fake reports 没有记录",
        "公司公告：fake announcements 没有记录",
    ]
    assert "未取得：\n- 分红送转" in (found.dossier.note or "")


def test_what_is_not_offered_is_named_with_the_reason() -> None:
    source = FakeMarketData()
    source.told["reports"] = DataNotOfferedError("账户没有该接口的权限")
    found = built(source)
    assert [gap.zh for gap in found.notes.gaps] == ["财务报表：账户没有该接口的权限"]
    assert "eps_ttm" not in (found.dossier.financial or {})


def test_source_that_does_not_answer_is_an_error_and_no_poorer_dossier() -> None:
    source = FakeMarketData()
    source.told["reports"] = MarketDataUnavailableError("no connection")
    with pytest.raises(MarketDataUnavailableError):
        built(source)


def test_multiples_of_another_day_are_not_taken_for_the_last_days() -> None:
    source = FakeMarketData()
    source.told["valuation"] = source.told["valuation"][:-1]
    found = built(source)
    assert "pe_ttm" not in section("valuation", source)
    assert [gap.zh for gap in found.notes.gaps] == ["末日估值：来源的估值只到 2025-11-20"]


def test_prices_that_cannot_be_adjusted_are_not_averaged() -> None:
    found = built(told("daily_bars", lambda bar: replace(bar, reference=None)))
    technical = found.dossier.model_dump(exclude_none=True)["technical"]
    assert set(technical) == {"open", "high", "low", "close", "volume", "turnover_rate"}
    assert [gap.zh.partition("：")[0] for gap in found.notes.gaps] == ["复权"]


def test_prices_that_contradict_each_other_are_refused() -> None:
    """As they do where two columns have changed places."""
    with pytest.raises(DataNotOfferedError, match="开高低收互相矛盾"):
        built(told("daily_bars", lambda bar: replace(bar, high=bar.close, close=bar.high)))


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_volume_in_other_units_is_found_by_the_amount_and_left_out(factor: float) -> None:
    found = built(told("daily_bars", lambda bar: replace(bar, volume=(bar.volume or 0) * factor)))
    technical = found.dossier.technical
    assert technical is not None
    assert technical.volume is technical.volume_ratio is None
    assert found.notes.gaps[0].zh == "成交量：fake daily_bars 的成交额与成交量不符，单位可能已改变"


def test_volume_without_an_amount_is_taken() -> None:
    found = section("technical", told("daily_bars", lambda bar: replace(bar, amount=None)))
    assert "volume" in found


def test_loss_has_no_percentile_and_no_graham_value() -> None:
    source = told("valuation", lambda day: replace(day, pe_ttm=-3.0, ps_ttm=-1.0))
    source.told["reports"] = [replace(one, net_profit=-1e8) for one in source.told["reports"]]
    found = section("valuation", source)
    assert found["pe_ttm"] == -3.0
    assert not {"pe_percentile_5y", "ps_ttm", "ps_percentile_5y", "graham_value"} & found.keys()
    assert "cash_to_profit" not in section("financial", source)


def test_history_of_less_than_five_years_has_no_percentile() -> None:
    source = FakeMarketData()
    source.told["valuation"] = [day for day in source.told["valuation"] if day.day > date(2021, 3, 1)]
    assert "pe_percentile_5y" not in section("valuation", source)


def test_single_day_of_multiples_has_no_percentile() -> None:
    source = told("valuation", lambda day: replace(day, pb=None) if day.day < story.AS_OF else day)
    assert "pb_percentile_5y" not in section("valuation", source)


def test_yield_is_not_said_where_new_shares_came_or_nothing_was_paid() -> None:
    assert "dividend_yield" not in section("valuation", as_of=date(2024, 7, 1))
    source = FakeMarketData()
    source.told["dividends"] = [Dividend(date(2024, 6, 30), date(2025, 1, 6), 0.0, 0.0)]
    assert "dividend_yield" not in section("valuation", source)
    assert "dividend_per_share" not in section("financial", source)


def test_quarter_without_the_one_before_it_is_left_out() -> None:
    source = FakeMarketData()
    source.told["reports"] = [one for one in source.told["reports"] if one.period_end != date(2025, 6, 30)]
    financial = section("financial", source)
    assert [row["quarter"] for row in financial["quarters"][:2]] == ["2025Q1", "2024Q4"]
    assert financial["revenue_ttm"] == pytest.approx(15.4)


def test_first_report_of_a_company_has_no_four_quarters() -> None:
    source = FakeMarketData()
    source.told["reports"] = [replace(source.told["reports"][-1], roe=None, revenue=None)]
    financial = section("financial", source)
    assert financial["report_period"] == "2025Q3"
    assert not {"revenue_ttm", "net_profit_ttm", "quarters", "roe", "eps_ttm"} & financial.keys()


def test_figures_a_share_need_the_number_of_shares() -> None:
    source = FakeMarketData()
    source.told["valuation"] = [ValuationDay(story.AS_OF, pe_ttm=30.0)]
    assert not {"eps_ttm", "cash_flow_per_share"} & section("financial", source).keys()


@pytest.mark.parametrize("url", [None, "javascript:alert(1)", f"https://example.invalid/{'x' * 300}"])
def test_link_that_is_none_is_left_out(url: str | None) -> None:
    source = FakeMarketData()
    source.told["announcements"] = [Announcement(story.AS_OF, "x" * 9000, "y" * 900, url)]
    (event,) = section("catalyst", source)["company_events"]
    assert "url" not in event
    assert (len(event["text"]), len(event["source"])) == (1000, 200)


def test_note_is_cut_to_its_bound() -> None:
    source = FakeMarketData()
    source.told["reports"] = DataNotOfferedError("x" * 5000)
    note = built(source).dossier.note or ""
    assert len(note) == TEXT_LIMIT
    assert note.endswith("…")
