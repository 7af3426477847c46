"""The story as a server on loopback would tell it in Tushare's protocol: one address, a POST, columns and rows.

Written after the wire format of Tushare Pro that Tushare 1.4.29 reads, not captured.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from examples.committee.tests.market_data import story
from tests.processes import LIMIT

TOKEN = "token-of-the-tests-4f1c"  # noqa: S105 - of a server that asks for none other
NO_PERMISSION = "抱歉，您没有接口访问权限，权限的具体详情访问：https://tushare.pro/document/1?doc_id=108。"
TOO_OFTEN = "抱歉，您每分钟最多访问该接口2次，权限的具体详情访问：https://tushare.pro/document/1?doc_id=108。"
WRONG_TOKEN = "您的token不对，请确认。"  # noqa: S105 - a message


class Tushare:
    """Answers by the interface's name.

    Attributes:
        rows: interface → all its rows, by column; what is asked for is chosen from them.
        answers: interface → a status and a body in place of the rows.
        asked: the bodies of all requests.
        url: to ask at.
    """

    def __init__(self) -> None:
        self.rows = {name: make() for name, make in _STORY.items()}
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def refuse(self, name: str, message: str, code: int = 40203) -> None:
        """Answer an interface as the server does when it says no."""
        self.answers[name] = (200, json.dumps({"code": code, "msg": message, "data": None}).encode())

    def answer(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """What one request gets."""
        self.asked.append(body)
        name = body["api_name"]
        if name in self.answers:
            return self.answers[name]
        if body["token"] != TOKEN:
            return 200, json.dumps({"code": 40101, "msg": WRONG_TOKEN, "data": None}).encode()
        columns = body["fields"].split(",")
        items = [[row.get(column) for column in columns] for row in _chosen(self.rows[name], body["params"])]
        data = {"fields": columns, "items": items, "has_more": False}
        return 200, json.dumps({"code": 0, "msg": None, "data": data}).encode()


@contextmanager
def tushare() -> Iterator[Tushare]:
    """A running server."""
    story_server = Tushare()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = story_server.answer(body)
            with suppress(OSError):  # whoever asked may have given up
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        story_server.url = f"http://127.0.0.1:{server.server_address[1]}/dataapi"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield story_server
        finally:
            server.shutdown()
            thread.join(LIMIT)


def _chosen(rows: list[dict[str, Any]], params: dict[str, Any]) -> list[dict[str, Any]]:
    first, last = params.get("start_date", ""), params.get("end_date", "99999999")
    dated = next((name for name in ("trade_date", "ann_date") if rows and name in rows[0]), "")
    if not dated or "start_date" not in params:
        return rows
    return [row for row in rows if first <= row[dated] <= last]


def text(day: date) -> str:
    """A date as Tushare writes it."""
    return f"{day:%Y%m%d}"


def _daily() -> list[dict[str, Any]]:
    return [
        {"trade_date": text(bar.day), "open": bar.open, "high": bar.high, "low": bar.low, "close": bar.close,
         "pre_close": round(bar.reference or 0, 2), "vol": (bar.volume or 0) / 100, "amount": (bar.amount or 0) / 1000}
        for bar in reversed(story.bars(date(2025, 12, 20)))
    ]  # fmt: skip


def _daily_basic() -> list[dict[str, Any]]:
    rates = {bar.day: bar.turnover_rate for bar in story.bars(date(2025, 12, 20))}
    return [
        {"trade_date": text(one.day), "turnover_rate": rates.get(one.day), "total_mv": (one.market_value or 0) / 1e4,
         "total_share": (one.shares or 0) / 1e4, "pe_ttm": one.pe_ttm, "pb": one.pb, "ps_ttm": one.ps_ttm}
        for one in reversed(story.valuation(date(2025, 12, 20)))
    ]  # fmt: skip


def _statement(*fields: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"end_date": text(one.period_end), "ann_date": text(one.known_on), "f_ann_date": text(one.known_on),
         "report_type": "1", "update_flag": "1", **{name: getattr(one, field) for name, field in fields}}
        for one in reversed(story.reports())
    ]  # fmt: skip


_STORY: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "stock_basic": lambda: [
        {"ts_code": story.SYMBOL, "name": story.PROFILE.name, "industry": story.PROFILE.industry}
    ],
    "daily": _daily,
    "daily_basic": _daily_basic,
    "income": lambda: _statement(("total_revenue", "revenue"), ("n_income_attr_p", "net_profit")),
    "cashflow": lambda: _statement(("n_cashflow_act", "operating_cash_flow")),
    "fina_indicator": lambda: _statement(
        ("profit_dedt", "deducted_net_profit"), ("tr_yoy", "revenue_growth"), ("netprofit_yoy", "net_profit_growth"),
        ("grossprofit_margin", "gross_margin"), ("netprofit_margin", "net_margin"), ("roe_waa", "roe"),
        ("bps", "book_value_per_share"), ("debt_to_assets", "debt_to_assets"), ("current_ratio", "current_ratio"),
        ("quick_ratio", "quick_ratio"), ("arturn_days", "receivable_days"), ("invturn_days", "inventory_days"),
    ),
    "dividend": lambda: [
        {"end_date": text(one.period_end), "ex_date": text(one.ex_day), "cash_div_tax": one.cash,
         "stk_div": one.new_shares, "div_proc": "实施"}
        for one in story.DIVIDENDS
    ],
    "anns_d": lambda: [
        {"ann_date": text(one.published), "title": one.title, "url": one.url} for one in story.ANNOUNCEMENTS
    ],
}  # fmt: skip
