"""The index of runs: sorted, by stock, each with its report; what is not finished or not readable stands apart."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from examples.committee.domain.run_record import RecordedRun
from examples.committee.infrastructure.run_finder import FoundRuns, LeftOut, UnfinishedRun
from examples.committee.reports.runs_index import Commands, IndexView, Order, index_page, index_view
from examples.committee.tests.reports.recorded import data_of, recorded
from examples.committee.tests.reports.runs import DOSSIER, DOWN
from examples.committee.tests.reports.test_reports import HOSTILE, Tags
from src.shared.domain.language import Message

pytestmark = pytest.mark.anyio
ROOT = Path("runs")
COMMANDS = Commands(
    link=lambda run: f"{run.folder.name}/report.html" if run.has_report else "",
    resume=lambda folder: f"resume {folder}",
    compare=lambda folders: f"compare {' '.join(folder.name for folder in folders)}",
)


def run(data: dict[str, Any], folder: str, **changes: Any) -> RecordedRun:  # noqa: ANN401 - of any JSON type
    found = recorded(data, lambda own: own.update({key: value for key, value in changes.items() if key in own}))
    return replace(found, folder=ROOT / folder)


def index(*runs: RecordedRun, order: Order = Order.DATE, **found: Any) -> IndexView:  # noqa: ANN401 - as FoundRuns has them
    return index_view(ROOT, FoundRuns([*runs], **found), order, COMMANDS)


def shown(view: IndexView) -> list[str]:
    return [line.folder for stock in view.stocks for line in stock.lines]


def words(view: IndexView) -> str:
    return re.sub(r"\s+", " ", unescape(Tags(index_page(view)).text))


async def four() -> list[RecordedRun]:
    data, failed = await data_of(), await data_of(裁决=DOWN)
    verdict = data["verdict"]

    def costing(amount: float | None) -> dict[str, Any]:
        return {**data["totals"], "cost": amount, "currency": "CNY"}

    return [
        run(data, "sell", symbol="B", as_of="2025-03-01", totals=costing(2.0), verdict=verdict | {"action": "SELL"}),
        run(data, "buy", symbol="A", as_of="2025-02-01", totals=costing(None), verdict=verdict | {"action": "BUY"}),
        run(failed, "none", symbol="A", as_of="2025-04-01", totals=costing(3.0)),
        run(data, "hold", symbol="B", as_of="2025-01-01", totals=costing(1.0), verdict=verdict | {"action": "HOLD"}),
    ]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (Order.DATE, ["none", "buy", "sell", "hold"]),
        (Order.STOCK, ["none", "buy", "sell", "hold"]),
        (Order.VERDICT, ["buy", "none", "hold", "sell"]),
        (Order.COST, ["none", "buy", "sell", "hold"]),
    ],
)
async def test_runs_are_sorted_and_stocks_come_in_the_order_of_their_first_run(order: Order, names: list[str]) -> None:
    assert shown(index(*await four(), order=order)) == names


async def test_stocks_are_sorted_by_their_code() -> None:
    runs = await four()
    assert [stock.title.split()[-1] for stock in index(*runs[:2], order=Order.STOCK).stocks] == ["A", "B"]
    assert [stock.title.split()[-1] for stock in index(*runs[:2]).stocks] == ["B", "A"]


async def test_costs_are_sorted_currency_by_currency() -> None:
    data = await data_of()
    costs = {"a": (1.0, "USD"), "b": (9.0, "CNY"), "c": (2.0, "USD"), "d": (None, None)}
    runs = [
        run(data, name, totals=data["totals"] | {"cost": cost, "currency": currency})
        for name, (cost, currency) in costs.items()
    ]
    assert shown(index(*runs, order=Order.COST)) == ["b", "c", "a", "d"]


async def test_surest_verdict_comes_first() -> None:
    data = await data_of()
    runs = [run(data, str(sure), verdict=data["verdict"] | {"confidence": sure}) for sure in (0.2, 0.9, None)]
    assert shown(index(*runs, order=Order.VERDICT)) == ["0.9", "0.2", "None"]


async def test_stock_with_several_runs_shows_the_command_that_compares_them_newest_first() -> None:
    view = index(*await four(), order=Order.COST)
    assert {stock.compare for stock in view.stocks} == {"compare none buy", "compare sell hold"}
    assert index((await four())[0]).stocks[0].compare == ""


async def test_run_without_a_verdict_shows_where_it_stopped_and_how_to_go_on() -> None:
    told = words(index((await four())[2]))
    for said in ("没有裁决", "停在“裁决”阶段", "resume runs/none"):
        assert said in told


async def test_run_with_a_verdict_needs_no_command_to_go_on() -> None:
    assert "resume" not in words(index((await four())[0]))


async def test_run_links_to_its_report_and_one_without_says_so() -> None:
    data = await data_of()
    view = index(run(data, "good"), replace(run(data, "bare"), has_report=False))
    assert ("href", "good/report.html") in Tags(index_page(view)).attributes
    assert "bare没有 report.html" in words(view)


async def test_unfinished_runs_and_folders_not_read_stand_apart_with_the_reason() -> None:
    view = index(
        unfinished=[UnfinishedRun(ROOT / "stopped", DOSSIER), UnfinishedRun(ROOT / "unknown", None)],
        left_out=[LeftOut(ROOT / "broken", Message("坏的", "broken"))],
    )
    told = words(view)
    for said in (
        "没有找到有结果的运行",
        "stopped：临溪传感（虚构）",
        "resume runs/stopped",
        "资料读不出",
        "broken：坏的",
    ):
        assert said in told


async def test_index_that_is_not_whole_says_so() -> None:
    assert "只列出了一部分" in words(index(is_all=False))
    assert "只列出了一部分" not in words(index())


async def test_text_of_a_run_is_text_wherever_it_stands() -> None:
    data = await data_of()
    changes = {"name": HOSTILE, "as_of": HOSTILE, "failed_in": HOSTILE, "unfinished": [HOSTILE], "symbol": HOSTILE}
    view = index(
        run(data, HOSTILE, **changes, warnings=[{"code": HOSTILE, "zh": HOSTILE, "en": HOSTILE}]),
        left_out=[LeftOut(ROOT / HOSTILE, Message(HOSTILE, HOSTILE))],
        unfinished=[UnfinishedRun(ROOT / HOSTILE, None)],
    )
    found = Tags(index_page(view))
    assert found.tags.isdisjoint({"script", "img", "iframe", "object", "link", "form"})
    assert not {name for name, _ in found.attributes if name.startswith("on") or name == "src"}
    assert found.text.count("<script>alert(1)</script>") > 5
