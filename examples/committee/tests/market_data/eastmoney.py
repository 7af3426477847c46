"""The story as Eastmoney's servers would tell it, in an adapter of `requests`: AKShare asks and reads as always.

Written after the wire format that AKShare 1.19.5 reads, not captured.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from requests.adapters import BaseAdapter

from examples.committee.domain.ports.market_data import DailyBar, Dividend, Report, ValuationDay
from examples.committee.tests.market_data import story

KLINE = "push2his.eastmoney.com/api/qt/stock/kline/get"
INFO = "push2.eastmoney.com/api/qt/stock/get"
VALUES = "RPT_VALUEANALYSIS_DET"
DIVIDENDS = "RPT_SHAREBONUS_DET"
REPORTS = "RPT_F10_FINANCE_MAINFINADATA"
NOTICES = "np-anotice-stock.eastmoney.com/api/security/ann"

NOTHING = {"version": None, "result": None, "success": False, "message": "返回数据为空", "code": 9201}
"""How the data centre says that it has no rows."""

Answer = Callable[[dict[str, str]], Any]


class Eastmoney(BaseAdapter):
    """Answers by address, or by the name of the report that is asked for; counts what it was asked.

    Attributes:
        answers: address or report → the answer; replaced by a test that wants another one. An exception is raised,
            bytes are the body as it stands, a pair is a status and a body.
        asked: addresses and reports, in their order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.answers: dict[str, Any] = {
            INFO: lambda _: _info(),
            KLINE: _klines,
            VALUES: lambda _: _rows([_value(day) for day in story.valuation()]),
            DIVIDENDS: lambda _: _rows([_dividend(one) for one in story.DIVIDENDS]),
            REPORTS: lambda _: _rows([_report(one) for one in story.reports()]),
            NOTICES: lambda _: _notices(),
        }

    def send(self, request: requests.PreparedRequest, **_: object) -> requests.Response:  # type: ignore[override]
        """Answer a request without a network."""
        parts = urlsplit(request.url or "")
        query = {name: values[0] for name, values in parse_qs(str(parts.query)).items()}
        key = query.get("reportName") or query.get("type") or f"{parts.netloc!s}{parts.path!s}"
        self.asked.append(key)
        answer = self.answers[key]
        answer = answer(query) if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        status, body = answer if isinstance(answer, tuple) else (200, answer)
        response = requests.Response()
        response.status_code, response.url, response.request = status, str(request.url), request
        response.raw = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
        return response

    def close(self) -> None:
        """Nothing is open."""


@contextmanager
def eastmoney() -> Iterator[Eastmoney]:
    """Every request to Eastmoney goes to the story."""
    server, real = Eastmoney(), requests.Session.get_adapter

    def get_adapter(session: requests.Session, url: str) -> BaseAdapter:
        return server if "eastmoney.com" in url else real(session, url)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requests.Session, "get_adapter", get_adapter)
        yield server


def _info() -> dict[str, Any]:
    data = {"f57": story.CODE, "f58": story.PROFILE.name, "f127": story.PROFILE.industry, "f84": story.SHARES}
    data |= {"f189": 20230102, "f43": 38.62, "f59": 2, "f116": "-"}
    return {"rc": 0, "rt": 4, "svr": 181669437, "lt": 1, "full": 1, "dlmkts": "", "data": data}


def klines(bars: list[DailyBar]) -> dict[str, Any]:
    """Daily bars: volume in 手, amount in yuan."""
    lines = [_kline(bar) for bar in bars]
    data = {"code": story.CODE, "market": 1, "name": story.PROFILE.name, "decimal": 2, "klines": lines}
    return {"rc": 0, "rt": 17, "svr": 177617938, "lt": 1, "full": 0, "dlmkts": "", "data": data}


def _klines(query: dict[str, str]) -> dict[str, Any]:
    """As traded, or adjusted for everything since the listing."""
    bars = story.bars(last=_day(query["end"]), first=_day(query["beg"]))
    return klines(bars if query["fqt"] == "0" else [replace(bar, close=bar.close * 1.3) for bar in bars])


def _kline(bar: DailyBar) -> str:
    numbers: list[float | None] = [bar.open, bar.close, bar.high, bar.low, (bar.volume or 0) / 100, bar.amount]
    change = round(bar.close - (bar.reference or bar.close), 2)
    return ",".join(map(str, (bar.day, *numbers, 1.0, 0.5, change, bar.turnover_rate)))


def _rows(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "version": "1", "result": {"pages": 1, "data": rows, "count": len(rows)}, "success": True, "message": "ok",
        "code": 0,
    }  # fmt: skip


def _value(day: ValuationDay) -> dict[str, Any]:
    return {
        "SECURITY_CODE": story.CODE, "SECUCODE": story.SYMBOL, "TRADE_DATE": f"{day.day} 00:00:00",
        "CLOSE_PRICE": 38.6, "CHANGE_RATE": 0.5, "TOTAL_MARKET_CAP": day.market_value,
        "NOTLIMITED_MARKETCAP_A": day.market_value, "TOTAL_SHARES": day.shares, "FREE_SHARES_A": day.shares,
        "PE_TTM": day.pe_ttm, "PE_LAR": None, "PB_MRQ": day.pb, "PCF_OCF_TTM": None, "PS_TTM": day.ps_ttm,
        "PEG_CAR": None,
    }  # fmt: skip


def _dividend(one: Dividend) -> dict[str, Any]:
    """Thirty columns, which AKShare names by their place; ratios are for ten shares."""
    ten = {"BONUS_IT_RATIO": one.new_shares * 10 or None, "BONUS_RATIO": None, "IT_RATIO": None}
    head = {"SECUCODE": story.SYMBOL, "SECURITY_NAME_ABBR": "-", "SECURITY_CODE": story.CODE, "P4": "-", "P5": "-"}
    dates = {
        "PUBLISH_DATE": "2025-04-20 00:00:00", "EQUITY_RECORD_DATE": f"{one.ex_day} 00:00:00",
        "EX_DIVIDEND_DATE": f"{one.ex_day} 00:00:00", "REPORT_DATE": f"{one.period_end} 00:00:00",
    }  # fmt: skip
    tail = {
        "ASSIGN_PROGRESS": "实施分配", "IMPL_PLAN_PROFILE": "-", "NOTICE_DATE": f"{one.ex_day} 00:00:00",
        "P17": None, "P18": None, "P19": None, "BASIC_EPS": 1.0, "BVPS": 8.0, "PER_CAPITAL_RESERVE": 1.0,
        "PER_UNASSIGN_PROFIT": 1.0, "PNP_YOY_RATIO": 3.0, "TOTAL_SHARES": story.SHARES,
        "PLAN_NOTICE_DATE": "2025-04-20 00:00:00", "DIVIDENT_RATIO": 0.006, "P28": None, "P29": None, "P30": None,
    }  # fmt: skip
    return {**head, **ten, "PRETAX_BONUS_RMB": one.cash * 10, **dates, **tail}


def _report(one: Report) -> dict[str, Any]:
    return {
        "SECUCODE": story.SYMBOL, "REPORT_DATE": f"{one.period_end} 00:00:00", "CURRENCY": "CNY",
        "NOTICE_DATE": f"{one.known_on} 00:00:00", "UPDATE_DATE": f"{one.known_on} 00:00:00",
        "TOTALOPERATEREVE": one.revenue, "PARENTNETPROFIT": one.net_profit, "KCFJCXSYJLR": one.deducted_net_profit,
        "NETCASH_OPERATE_PK": one.operating_cash_flow, "TOTALOPERATEREVETZ": one.revenue_growth,
        "PARENTNETPROFITTZ": one.net_profit_growth, "XSMLL": one.gross_margin, "XSJLL": one.net_margin,
        "ROEJQ": one.roe, "BPS": one.book_value_per_share, "ZCFZL": one.debt_to_assets, "LD": one.current_ratio,
        "SD": one.quick_ratio, "YSZKZZTS": one.receivable_days, "CHZZTS": one.inventory_days,
    }  # fmt: skip


def _notices() -> dict[str, Any]:
    rows = [
        {
            "art_code": f"AN{place}", "title": one.title, "notice_date": f"{one.published} 00:00:00",
            "display_time": "-", "eiTime": "-",
            "codes": [{"ann_type": "A,KCB", "inner_code": "1", "market_code": "1", "short_name": story.PROFILE.name,
                       "stock_code": story.CODE}],
            "columns": [{"column_code": "1", "column_name": "其他"}],
        }
        for place, one in enumerate(story.ANNOUNCEMENTS)
    ]  # fmt: skip
    return {"data": {"list": rows, "page_index": 1, "page_size": 100, "total_hits": len(rows)}, "success": 1}


def _day(text: str) -> date:
    return date(int(text[:4]), int(text[4:6]), int(text[6:]))
