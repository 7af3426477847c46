"""What AKShare makes of answers that are not as usual, and what comes of it: our errors, or a gap with a reason."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from datetime import date
from typing import Any

import akshare.request  # type: ignore[import-untyped]
import pytest
import requests

from examples.committee.domain.exceptions import (
    DataNotOfferedError,
    MarketDataSettingsError,
    MarketDataUnavailableError,
    UnknownStockError,
)
from examples.committee.domain.stock_code import StockCode
from examples.committee.tests.market_data import story
from examples.committee.tests.market_data.asking import akshare as source
from examples.committee.tests.market_data.asking import built
from examples.committee.tests.market_data.eastmoney import (
    DIVIDENDS,
    INFO,
    KLINE,
    NOTHING,
    NOTICES,
    REPORTS,
    VALUES,
    Eastmoney,
    klines,
)

STOCK = StockCode.read(story.CODE)
FIRST = date(2025, 1, 2)


def gaps() -> dict[str, str]:
    lines = (line.zh.partition("：") for line in built(source()).notes.gaps)
    return {what: why for what, _, why in lines}


def rows_of(eastmoney: Eastmoney, report: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = eastmoney.answers[report]({})["result"]["data"]
    return rows


def answer_rows(eastmoney: Eastmoney, report: str, rows: list[dict[str, Any]]) -> None:
    eastmoney.answers[report] = {"result": {"pages": 1, "data": rows}, "success": True, "code": 0}


@pytest.mark.parametrize("data", [None, {"f57": story.CODE, "f58": "", "f127": "-"}])
def test_stock_that_it_does_not_know(eastmoney: Eastmoney, data: object) -> None:
    eastmoney.answers[INFO] = {"rc": 100, "rt": 4, "svr": 1, "lt": 1, "full": 1, "dlmkts": "", "data": data}
    with pytest.raises(UnknownStockError, match=r"没有股票 688999\.SH"):
        built(source())


def test_stock_without_a_trade(eastmoney: Eastmoney) -> None:
    eastmoney.answers[KLINE] = {"rc": 100, "rt": 17, "data": None}
    with pytest.raises(UnknownStockError, match="没有成交记录"):
        built(source())


def test_day_without_a_price_or_a_trade_is_no_day(eastmoney: Eastmoney) -> None:
    good, bare, idle = story.bars()[-3:]
    answer = klines([good, bare, replace(idle, volume=0.0)])
    answer["data"]["klines"][1] = f"{bare.day},-,-,-,-,-,-,-,-,-,-"
    eastmoney.answers[KLINE] = answer
    assert [bar.day for bar in source().daily_bars(STOCK, FIRST, story.AS_OF).rows] == [good.day]


def test_cell_that_is_no_number_is_missing_and_never_0(eastmoney: Eastmoney) -> None:
    rows = rows_of(eastmoney, VALUES)
    answer_rows(eastmoney, VALUES, [*rows[:-1], rows[-1] | {"PE_TTM": None, "PB_MRQ": "-", "PS_TTM": "NaN"}])
    last = source().valuation(STOCK, FIRST, story.AS_OF).rows[-1]
    assert (last.pe_ttm, last.pb, last.ps_ttm) == (None, None, None)
    assert last.market_value == story.valuation()[-1].market_value


def test_row_without_a_date_is_left_out(eastmoney: Eastmoney) -> None:
    rows = rows_of(eastmoney, VALUES)
    answer_rows(eastmoney, VALUES, [rows[-1], rows[-1] | {"TRADE_DATE": None}])
    assert len(source().valuation(STOCK, FIRST, story.AS_OF).rows) == 1


def test_report_counts_from_its_last_correction(eastmoney: Eastmoney) -> None:
    (row,) = rows_of(eastmoney, REPORTS)[-1:]
    answer_rows(eastmoney, REPORTS, [row | {"UPDATE_DATE": "2025-11-15 00:00:00"}])
    assert source().reports(STOCK, FIRST, story.AS_OF).rows[0].known_on == date(2025, 11, 15)
    answer_rows(eastmoney, REPORTS, [row | {"UPDATE_DATE": None}])
    assert source().reports(STOCK, FIRST, story.AS_OF).rows[0].known_on == story.reports()[-1].known_on


@pytest.mark.parametrize("change", [{"NOTICE_DATE": None}, {"REPORT_DATE": None}, {"CURRENCY": "USD"}])
def test_report_without_its_day_or_in_another_currency_is_left_out(
    eastmoney: Eastmoney, change: dict[str, Any]
) -> None:
    answer_rows(eastmoney, REPORTS, [rows_of(eastmoney, REPORTS)[-1] | change])
    assert source().reports(STOCK, FIRST, story.AS_OF).rows == ()


def test_figure_that_a_report_lacks_is_missing(eastmoney: Eastmoney) -> None:
    """A bank has no gross margin."""
    row = rows_of(eastmoney, REPORTS)[-1]
    del row["XSMLL"]
    answer_rows(eastmoney, REPORTS, [row])
    assert source().reports(STOCK, FIRST, story.AS_OF).rows[0].gross_margin is None


def test_distribution_that_is_only_proposed_is_left_out(eastmoney: Eastmoney) -> None:
    one, other = rows_of(eastmoney, DIVIDENDS)
    answer_rows(eastmoney, DIVIDENDS, [one | {"ASSIGN_PROGRESS": "董事会预案"}, other | {"EX_DIVIDEND_DATE": None}])
    assert source().dividends(STOCK, story.AS_OF).rows == ()


def test_share_that_never_paid_is_told_from_one_whose_dividends_cannot_be_read(eastmoney: Eastmoney) -> None:
    """Eastmoney answers the same in both cases; prices adjusted since the listing are those as traded in the first."""
    eastmoney.answers[DIVIDENDS] = NOTHING
    assert "复权" in gaps()

    bars = [replace(bar, reference=None) for bar in story.bars()]
    eastmoney.answers[KLINE] = lambda query: klines([bar for bar in bars if f"{bar.day:%Y%m%d}" >= query["beg"]])
    found = gaps()
    assert found == {"分红送转": "akshare 1.19.5 stock_fhps_detail_em 没有记录"}
    assert "ma250" in built(source()).dossier.model_dump(exclude_none=True)["technical"]


def test_share_that_was_long_suspended_is_not_taken_for_one_that_never_paid(eastmoney: Eastmoney) -> None:
    eastmoney.answers[DIVIDENDS] = NOTHING
    eastmoney.answers[KLINE] = lambda query: klines(story.bars(date(2025, 9, 1)) if query["beg"] < "20250901" else [])
    assert "复权" in gaps()


def test_dividends_are_asked_once(eastmoney: Eastmoney) -> None:
    built(source())
    assert eastmoney.asked.count(DIVIDENDS) == 2  # AKShare asks for the number of pages first


@pytest.mark.parametrize(("report", "what"), [(VALUES, "估值"), (REPORTS, "财务报表")])
def test_no_rows_at_all_are_a_gap(eastmoney: Eastmoney, report: str, what: str) -> None:
    eastmoney.answers[report] = NOTHING
    assert "没有记录，或返回的格式与该版本的库不符" in gaps()[what]


def test_no_announcements_are_a_gap_and_no_error(eastmoney: Eastmoney) -> None:
    eastmoney.answers[NOTICES] = {"data": {"list": [], "total_hits": 0}, "success": 1}
    assert gaps() == {"公司公告": "akshare 1.19.5 stock_individual_notice_report 没有记录"}


@pytest.mark.parametrize("change", [{"title": ""}, {"notice_date": None}])
def test_announcement_without_title_or_day_is_left_out(eastmoney: Eastmoney, change: dict[str, Any]) -> None:
    answer = eastmoney.answers[NOTICES]({})
    answer["data"]["list"][-1] |= change
    eastmoney.answers[NOTICES] = answer
    assert len(source().announcements(STOCK, FIRST, story.AS_OF).rows) == 2


def test_announcement_without_a_kind_is_its_title(eastmoney: Eastmoney) -> None:
    answer = eastmoney.answers[NOTICES]({})
    answer["data"]["list"][-1]["columns"][0]["column_name"] = None
    eastmoney.answers[NOTICES] = answer
    titles = [one.title for one in source().announcements(STOCK, FIRST, story.AS_OF).rows]
    assert story.ANNOUNCEMENTS[-1].title in titles


def test_other_columns_are_named(eastmoney: Eastmoney) -> None:
    rows = [{("OTHER" if name == "TOTALOPERATEREVE" else name): cell for name, cell in row.items()}
            for row in rows_of(eastmoney, REPORTS)]  # fmt: skip
    answer_rows(eastmoney, REPORTS, rows)
    assert "返回的数据格式已改变（TOTALOPERATEREVE）；请升级该库" in gaps()["财务报表"]


def test_prices_in_another_form_are_an_error(eastmoney: Eastmoney) -> None:
    eastmoney.answers[KLINE] = {"data": {"klines": ["2025-11-21,1,2,3"]}}
    with pytest.raises(DataNotOfferedError, match="格式已改变（ValueError）"):
        built(source())


def test_notices_in_another_form_are_a_gap(eastmoney: Eastmoney) -> None:
    eastmoney.answers[NOTICES] = {"data": {"list": []}}
    assert "格式已改变（KeyError）" in gaps()["公司公告"]


@pytest.mark.parametrize(
    "answer", [requests.ConnectionError("secret"), requests.Timeout("secret"), b"<html>busy</html>", (502, b"")]
)
@pytest.mark.parametrize("address", [INFO, KLINE, REPORTS])
def test_connection_that_fails_is_tried_again_and_then_an_error(
    eastmoney: Eastmoney, address: str, answer: object
) -> None:
    eastmoney.answers[address] = answer
    with pytest.raises(MarketDataUnavailableError, match="没有给出数据") as caught:
        built(source(market_data_attempts=2))
    assert eastmoney.asked.count(address) == 2
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_connection_that_comes_back_is_no_error(eastmoney: Eastmoney) -> None:
    good, failures = eastmoney.answers[INFO], [requests.ConnectionError()]

    def answer(query: dict[str, str]) -> object:
        return failures.pop() if failures else good(query)

    eastmoney.answers[INFO] = answer
    assert built(source()).dossier.stock.name == story.PROFILE.name


@pytest.mark.parametrize(("status", "said"), [(429, "限制了访问频率"), (500, "没有给出数据（APIError）")])
def test_what_the_library_has_tried_again_is_not_tried_again(
    eastmoney: Eastmoney, monkeypatch: pytest.MonkeyPatch, status: int, said: str
) -> None:
    monkeypatch.setattr(akshare.request.time, "sleep", lambda _: None)
    eastmoney.answers[VALUES] = (status, b"")
    with pytest.raises(MarketDataUnavailableError, match=said):
        built(source(market_data_attempts=5))
    assert eastmoney.asked.count(VALUES) == 3


def test_call_that_takes_too_long_is_given_up(eastmoney: Eastmoney) -> None:
    over = threading.Event()
    eastmoney.answers[INFO] = lambda _: over.wait(10)
    try:
        with pytest.raises(MarketDataUnavailableError, match=r"在 0\.05 秒内未完成；请重试或调大 MARKET_DATA_TIMEOUT"):
            built(source(market_data_timeout=0.05))
    finally:
        over.set()
    assert eastmoney.asked.count(INFO) == 1


def test_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "akshare", None)
    with pytest.raises(MarketDataSettingsError, match=r"缺少软件包 akshare；.* examples/committee/requirements"):
        source()
