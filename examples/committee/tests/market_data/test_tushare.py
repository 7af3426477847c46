"""What Tushare's server may answer, and what comes of it: our errors, or a gap with a reason; never the token."""

from __future__ import annotations

import json
import sys
import threading
from datetime import date
from typing import Any

import pytest

from examples.committee.domain.exceptions import (
    DataNotOfferedError,
    MarketDataError,
    MarketDataSettingsError,
    MarketDataUnavailableError,
    UnknownStockError,
)
from examples.committee.domain.stock_code import StockCode
from examples.committee.infrastructure.market_data.tushare_source import TushareMarketData
from examples.committee.tests.market_data import story
from examples.committee.tests.market_data.asking import built, settings, tushare_at
from examples.committee.tests.market_data.tushare_server import NO_PERMISSION, TOKEN, TOO_OFTEN, Tushare

STOCK = StockCode.read(story.CODE)
FIRST = date(2025, 1, 2)
LATE = date(2026, 3, 1)


def gaps(server: Tushare) -> dict[str, str]:
    lines = (line.zh.partition("：") for line in built(tushare_at(server)).notes.gaps)
    return {what: why for what, _, why in lines}


def last_report(server: Tushare, name: str) -> dict[str, Any]:
    """The newest row of a report, alone."""
    server.rows[name] = server.rows[name][:1]
    return server.rows[name][0]


# --- what the server says --------------------------------------------------------------------------------------


def test_without_a_token_nothing_is_asked(tushare: Tushare) -> None:
    with pytest.raises(MarketDataSettingsError, match="没有 Tushare 的 token；请设置环境变量 TUSHARE_TOKEN"):
        tushare_at(tushare, tushare_token=None)
    assert tushare.asked == []


def test_wrong_token_is_said_and_not_repeated(tushare: Tushare) -> None:
    source = tushare_at(tushare, tushare_token="wrong-4711")  # noqa: S106 - of nobody
    with pytest.raises(MarketDataSettingsError, match="不接受该 token；请检查 TUSHARE_TOKEN") as caught:
        built(source)
    assert "wrong-4711" not in f"{caught.value} {caught.value.details}"
    assert len(tushare.asked) == 1


@pytest.mark.parametrize(
    ("name", "what"),
    [("income", "财务报表"), ("daily_basic", "估值"), ("dividend", "分红送转"), ("anns_d", "公司公告")],
)
def test_interface_without_permission_is_a_gap(tushare: Tushare, name: str, what: str) -> None:
    tushare.refuse(name, NO_PERMISSION)
    assert gaps(tushare)[what].startswith(f"tushare 1.4.29 {name}：账户没有该接口的权限")


def test_prices_without_permission_are_an_error(tushare: Tushare) -> None:
    tushare.refuse("daily", NO_PERMISSION)
    with pytest.raises(DataNotOfferedError, match="账户没有该接口的权限"):
        built(tushare_at(tushare))


def test_turnover_without_permission_is_missing(tushare: Tushare) -> None:
    tushare.refuse("daily_basic", NO_PERMISSION)
    assert "turnover_rate" not in built(tushare_at(tushare)).dossier.model_dump(exclude_none=True)["technical"]


def test_limit_of_requests_is_an_error_and_asked_once(tushare: Tushare) -> None:
    tushare.refuse("daily", TOO_OFTEN)
    with pytest.raises(MarketDataUnavailableError, match="限制了访问频率；请稍后再试"):
        built(tushare_at(tushare, market_data_attempts=5))
    assert [body["api_name"] for body in tushare.asked].count("daily") == 1


def test_any_other_refusal_is_one_of_the_form(tushare: Tushare) -> None:
    tushare.refuse("income", "查询数据失败，请确认参数！", code=-1)
    assert "返回的数据格式已改变（refused）" in gaps(tushare)["财务报表"]


def test_stock_that_it_does_not_know(tushare: Tushare) -> None:
    tushare.rows["stock_basic"] = []
    with pytest.raises(UnknownStockError, match=r"没有股票 688999\.SH"):
        built(tushare_at(tushare))
    tushare.rows["stock_basic"] = [{"ts_code": story.SYMBOL, "name": None, "industry": None}]
    with pytest.raises(UnknownStockError):
        built(tushare_at(tushare))


def test_stock_without_a_trade(tushare: Tushare) -> None:
    tushare.rows["daily"] = []
    with pytest.raises(UnknownStockError, match="没有成交记录"):
        built(tushare_at(tushare))


@pytest.mark.parametrize("answer", [(500, b""), (502, b"<html>"), (200, b"<html>"), (200, b"")])
def test_answer_that_is_no_data_is_asked_for_again_and_then_an_error(
    tushare: Tushare, answer: tuple[int, bytes]
) -> None:
    tushare.answers["stock_basic"] = answer
    with pytest.raises(MarketDataUnavailableError, match="没有给出数据") as caught:
        built(tushare_at(tushare, market_data_attempts=2))
    assert len(tushare.asked) == 2
    assert caught.value.__cause__ is None


def test_server_that_is_not_there_is_an_error(tushare: Tushare) -> None:
    with pytest.raises(MarketDataUnavailableError, match="没有给出数据（ConnectionError）") as caught:
        built(tushare_at(tushare, tushare_url="http://127.0.0.1:9/dataapi"))
    assert TOKEN not in told_by(caught.value)


def told_by(error: MarketDataError) -> str:
    """Everything that a traceback or a log could show of an error."""
    shown, chain = "", [error]
    while chain:
        one: Any = chain.pop()
        shown += f"{one!r} {one} {vars(one)} {getattr(getattr(one, 'request', None), 'body', '')}"
        chain += [other for other in (one.__cause__, one.__context__) if other]
    return shown


def test_call_that_takes_too_long_is_given_up(tushare: Tushare) -> None:
    over = threading.Event()
    wait = tushare.answer

    def answer(body: dict[str, Any]) -> tuple[int, bytes]:
        over.wait(10)
        return wait(body)

    tushare.answer = answer  # type: ignore[method-assign]  # a slow server
    try:
        with pytest.raises(MarketDataUnavailableError, match=r"在 0\.2 秒内未完成|ReadTimeout"):
            built(tushare_at(tushare, market_data_timeout=0.2, market_data_attempts=1))
    finally:
        over.set()


def test_columns_that_the_server_no_longer_has_are_named(tushare: Tushare) -> None:
    body = {"code": 0, "msg": None, "data": {"fields": ["end_date"], "items": [["20250930"]]}}
    tushare.answers["income"] = (200, json.dumps(body).encode())
    assert "返回的数据格式已改变（update_flag）" in gaps(tushare)["财务报表"]


def test_answer_without_rows_at_all_is_one_of_the_form(tushare: Tushare) -> None:
    tushare.answers["income"] = (200, json.dumps({"code": 0, "msg": None, "data": None}).encode())
    assert "返回的数据格式已改变（TypeError）" in gaps(tushare)["财务报表"]


def test_library_that_is_not_installed(tushare: Tushare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tushare", None)
    with pytest.raises(MarketDataSettingsError, match=r"缺少软件包 tushare；.* examples/committee/requirements"):
        tushare_at(tushare)


def test_without_an_address_it_is_the_librarys() -> None:
    source = TushareMarketData(settings(tushare_token=TOKEN), story.AS_OF)
    assert source._api._DataApi__http_url.startswith("http://api.")  # noqa: SLF001 - nothing may be asked there


# --- what the rows hold -----------------------------------------------------------------------------------------


def test_cell_that_is_empty_is_missing_and_never_0(tushare: Tushare) -> None:
    tushare.rows["daily_basic"][0] |= {"pe_ttm": None, "total_mv": None}
    newest = tushare_at(tushare).valuation(STOCK, FIRST, LATE).rows[0]
    assert (newest.pe_ttm, newest.market_value) == (None, None)
    assert newest.shares == story.SHARES


def test_row_without_a_date_a_price_or_a_trade_is_left_out(tushare: Tushare) -> None:
    tushare.rows["daily"][0]["close"] = None
    tushare.rows["daily"][1]["vol"] = 0.0
    days = [bar.day for bar in tushare_at(tushare).daily_bars(STOCK, FIRST, LATE).rows]
    assert days == sorted(days)
    assert len(days) == len([bar for bar in story.bars(date(2025, 12, 20)) if bar.day >= FIRST]) - 2
    tushare.rows["daily_basic"] = [{"trade_date": "2025110x"}]
    tushare.rows["anns_d"] = [{"ann_date": "20251101"}, {"title": "x", "ann_date": "2025110x"}]
    assert tushare_at(tushare).valuation(STOCK, date(1, 1, 1), LATE).rows == ()
    assert tushare_at(tushare).announcements(STOCK, date(1, 1, 1), LATE).rows == ()


def test_distribution_that_is_only_proposed_or_later_is_left_out(tushare: Tushare) -> None:
    one, other = tushare.rows["dividend"]
    one["div_proc"] = "预案"
    assert len(tushare_at(tushare).dividends(STOCK, LATE).rows) == 1
    other["ex_date"] = None
    assert tushare_at(tushare).dividends(STOCK, LATE).rows == ()


def test_dividend_to_come_is_left_out(tushare: Tushare) -> None:
    assert len(tushare_at(tushare).dividends(STOCK, date(2025, 1, 1)).rows) == 1


def test_of_several_versions_of_a_report_the_last_that_was_public_counts(tushare: Tushare) -> None:
    """The real day of a version is `f_ann_date`; `ann_date` stays that of the first."""
    first = last_report(tushare, "income")
    tushare.rows["income"].append(first | {"f_ann_date": "20260115", "total_revenue": 5e8})
    tushare.rows["income"].append(first | {"f_ann_date": "20251115", "total_revenue": 6e8})
    source = tushare_at(tushare)
    assert source.reports(STOCK, FIRST, date(2025, 11, 1)).rows[0].revenue == first["total_revenue"]
    assert source.reports(STOCK, FIRST, date(2025, 12, 1)).rows[0].revenue == 6e8
    assert source.reports(STOCK, FIRST, LATE).rows[0].revenue == 5e8
    assert source.reports(STOCK, FIRST, LATE).rows[0].known_on == date(2026, 1, 15)


def test_of_two_versions_of_one_day_the_corrected_counts_today_and_the_first_on_a_day_that_is_past(
    tushare: Tushare,
) -> None:
    first = last_report(tushare, "fina_indicator")
    tushare.rows["fina_indicator"].append(first | {"update_flag": "0", "bps": 7.0})
    today = tushare_at(tushare).reports(STOCK, FIRST, story.AS_OF).rows
    past = tushare_at(tushare, today=LATE).reports(STOCK, FIRST, story.AS_OF).rows
    assert {one.period_end: one.book_value_per_share for one in today}[date(2025, 9, 30)] == first["bps"]
    assert {one.period_end: one.book_value_per_share for one in past}[date(2025, 9, 30)] == 7.0


def test_report_of_the_parent_alone_is_left_out(tushare: Tushare) -> None:
    last_report(tushare, "income")["report_type"] = "6"
    assert tushare_at(tushare).reports(STOCK, FIRST, LATE).rows == ()


def test_report_without_its_days_is_left_out(tushare: Tushare) -> None:
    last_report(tushare, "income")["end_date"] = None
    assert tushare_at(tushare).reports(STOCK, FIRST, LATE).rows == ()


def test_part_of_a_report_that_is_missing_leaves_the_others(tushare: Tushare) -> None:
    tushare.rows["cashflow"] = []
    (newest,) = [
        one for one in tushare_at(tushare).reports(STOCK, FIRST, LATE).rows if one.period_end == date(2025, 9, 30)
    ]
    assert newest.operating_cash_flow is None
    assert newest.revenue is not None
