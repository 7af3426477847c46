"""Runs side by side: each fact beside the one before, every change in words, nothing claimed that is not known."""

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from examples.committee.domain.run_record import RecordedRun
from examples.committee.reports.comparison_cells import MOST_ENTRIES, Cell
from examples.committee.reports.comparison_json import comparison_data
from examples.committee.reports.comparison_page import comparison_page
from examples.committee.reports.comparison_rows import MOST_DIMENSIONS, MOST_EXPERTS
from examples.committee.reports.comparison_view import ComparisonView, comparison_view
from examples.committee.tests.reports.recorded import Change, data_of, earlier, recorded, with_close
from examples.committee.tests.reports.runs import DOWN
from examples.committee.tests.reports.test_reports import HOSTILE, Tags
from src.shared.domain.language import VARIABLE

pytestmark = pytest.mark.anyio


def side_by_side(*runs: RecordedRun) -> ComparisonView:
    return comparison_view(runs, lambda run: f"{run.folder}/report.html" if run.has_report else "")


async def compared(before: Change = lambda _data: None, now: Change = lambda _data: None) -> ComparisonView:
    data = await data_of()
    return side_by_side(recorded(data, now), earlier(data, before))


def cell(view: ComparisonView, title: str, at: int = 1) -> Cell:
    (found,) = [row for section in view.sections for row in section.rows if row.title == title]
    return found.cells[at]


def words(view: ComparisonView) -> str:
    return re.sub(r"\s+", " ", unescape(Tags(comparison_page(view)).text))


# --- what changed ----------------------------------------------------------------------------------------------


async def test_verdict_names_what_it_was() -> None:
    view = await compared(lambda data: data["verdict"].update(action="SELL"))
    assert (cell(view, "裁决", 0).words, cell(view, "裁决", 0).change) == ("卖出", "")
    assert cell(view, "裁决").change == "此前为 卖出"
    assert "变化：此前为 卖出" in words(view)


async def test_share_tells_its_difference_in_points() -> None:
    view = await compared(
        lambda data: data["verdict"].update(confidence=0.7), lambda data: data["verdict"].update(confidence=0.6)
    )
    assert (cell(view, "置信度").text, cell(view, "置信度").change) == ("60%", "−10 个百分点，此前为 70%")


async def test_score_tells_its_difference() -> None:
    view = await compared(lambda data: data["experts"][1]["result"].update(financial_score=1))
    assert cell(view, "财务审计员：总分").change.endswith("此前为 1")


async def test_prices_of_the_plan_are_compared_as_amounts_and_its_texts_as_texts() -> None:
    view = await compared(
        lambda data: data["verdict"].update(stop_loss="跌破 31 元", take_profit="42.8 元"),
        lambda data: data["verdict"].update(stop_loss="收盘跌破 31 元", take_profit="44.3 元"),
    )
    assert (cell(view, "止损价").change, cell(view, "止损").change) == ("", "文字有改动")
    assert cell(view, "止盈价").change == "此前为 42.8"


async def test_large_number_keeps_every_digit_of_its_difference() -> None:
    view = await compared(
        lambda data: data["totals"].update(tokens={"prompt": 1, "completion": 0}),
        lambda data: data["totals"].update(tokens={"prompt": 12_345_678, "completion": 0}),
    )
    assert cell(view, "词元").change == "+12,345,677，此前为 1"


async def test_text_that_is_gone_is_not_repeated() -> None:
    view = await compared(now=lambda data: data["verdict"].update(reasoning=None))
    assert cell(view, "理由").change == "不再有"


async def test_price_is_the_dossiers() -> None:
    data = await data_of()
    view = side_by_side(with_close(earlier(data), 33.1), recorded(data))
    assert cell(view, "现价").change == "+5.52，此前为 33.1"


async def test_what_is_the_same_has_no_mark() -> None:
    assert "变化：" not in words(await compared())


@pytest.mark.parametrize(("then", "now", "change"), [(None, 0.5, "此前没有"), (0.5, None, "不再有，此前为 50%")])
async def test_what_one_of_two_does_not_say_is_told_as_that(then: float | None, now: float | None, change: str) -> None:
    view = await compared(
        lambda data: data["verdict"].update(confidence=then), lambda data: data["verdict"].update(confidence=now)
    )
    assert cell(view, "置信度").change == change


async def test_expert_names_its_signal_before_and_who_has_none_says_so() -> None:
    data = await data_of()
    failed = await data_of(估值建模师=DOWN)
    view = side_by_side(earlier(failed), recorded(data))
    assert cell(view, "估值建模师", 0).failed == "没有结论"
    assert cell(view, "估值建模师").change == "此前为 没有结论"
    assert cell(view, "没有结论的成员", 0).items[0].note == DOWN.message
    assert cell(view, "没有结论的成员").gone == ("估值建模师",)


@pytest.mark.parametrize(
    ("direction", "word"), [("BULLISH", "多头占优"), ("BEARISH", "空头占优"), ("NEUTRAL", "不分胜负")]
)
async def test_side_that_prevailed_is_named(direction: str, word: str) -> None:
    view = await compared(lambda data: data["debate"].update(direction=direction))
    assert cell(view, "哪一方占优", 0).text == word


async def test_risk_is_new_still_there_in_other_words_or_gone() -> None:
    def risks(*names: str) -> Change:
        rows = [{"risk": name, "probability": "中", "impact": "高"} for name in names]
        return lambda data: data["debate"].update(risk_matrix=rows)

    view = await compared(
        risks("解除限售后减持", "海外龙头降价", "现金流转弱"), risks("解除限售并减持", "海外龙头降价", "汇率波动")
    )
    found = cell(view, "风险矩阵")
    assert [item.state for item in found.items] == ["措辞不同", "仍在", "新出现"]
    assert found.items[0].note == "概率：中；影响：高；此前：解除限售后减持"
    assert found.gone == ("现金流转弱",)
    assert "不再列出： 现金流转弱" in words(view)


async def test_risks_of_a_run_without_a_debate_are_not_said_to_be_gone() -> None:
    data = await data_of()
    view = side_by_side(earlier(data), recorded(await data_of(冲突消解=DOWN)))
    assert cell(view, "风险矩阵").is_empty
    assert cell(view, "哪一方占优").failed == "没有了结"


async def test_list_that_is_longer_than_the_bound_is_counted() -> None:
    texts = [f"{n:03d}" * 9 for n in range(MOST_ENTRIES + 1)]
    view = await compared(now=lambda data: data["verdict"].update(risk_warnings=texts))
    assert (len(cell(view, "裁决列出的风险").items), cell(view, "裁决列出的风险").hidden) == (MOST_ENTRIES, 1)
    assert "另有 1 项" in words(view)


async def test_warnings_of_one_rule_are_one_entry() -> None:
    rule = [{"code": "stop_below_entry", "zh": text, "en": text} for text in ("一", "二")]
    view = await compared(now=lambda data: data.update(warnings=rule))
    assert [(item.text, item.state, item.note) for item in cell(view, "裁决的矛盾与疑点").items] == [
        ("止损不低于进场。", "新出现", "一；二")
    ]


# --- what is not known -----------------------------------------------------------------------------------------


def old(data: dict[str, Any]) -> None:
    """As the first version wrote it: no cases of their own, texts as warnings, no counts."""
    for key in ("arguments", "agents", "missing_data", "unfinished", "version"):
        del data[key]
    data["warnings"] = ["与辩论相反"]


async def test_result_of_an_earlier_version_says_what_it_lacks_and_shows_the_rest() -> None:
    view = await compared(old)
    assert cell(view, "这次运行缺少或读不出的", 0).text == "version、arguments、missing_data、agents、unfinished"
    assert cell(view, "裁决的矛盾与疑点", 0).items[0].text == "与辩论相反"
    assert cell(view, "多头的论点", 0).text
    assert cell(view, "资料中没有的").gone == ()


async def test_value_that_cannot_be_read_is_named() -> None:
    view = await compared(lambda data: data["verdict"].update(action=3))
    assert cell(view, "裁决", 0).failed == "读不出"
    assert "$.verdict.action" in cell(view, "这次运行缺少或读不出的", 0).text


async def test_places_beyond_the_bound_are_counted() -> None:
    run = replace(recorded(await data_of()), unread=tuple(f"$.x[{n}]" for n in range(23)))
    view = side_by_side(run, earlier(await data_of()))
    assert cell(view, "这次运行缺少或读不出的").text.endswith("$.x[19]，另有 3 处")


async def test_run_without_a_verdict_says_where_it_stopped_and_why() -> None:
    view = side_by_side(earlier(await data_of()), recorded(await data_of(裁决=DOWN)))
    found = cell(view, "裁决")
    assert (found.failed, found.note, found.more) == ("没有裁决", "停在“裁决”阶段", DOWN.message)


async def test_run_with_nothing_but_a_stock_is_shown() -> None:
    def bare(data: dict[str, Any]) -> None:
        symbol = data["symbol"]
        data.clear()
        data["symbol"] = symbol

    run = replace(recorded(await data_of(), bare), dossier=None, created=None, has_report=False)
    view = side_by_side(run, recorded(await data_of()))
    assert "日期未知：没有 report.html" in words(view)
    assert "dossier.json" in cell(view, "这次运行缺少或读不出的").text
    json.dumps(comparison_data(view), allow_nan=False)


# --- several stocks, ladders -----------------------------------------------------------------------------------


async def test_stocks_are_not_compared_with_each_other() -> None:
    data = await data_of()
    other = recorded(data, lambda own: own.update(symbol="600519.SH", name="另一只"))
    view = side_by_side(recorded(data), other)
    assert [column.before for column in view.columns] == [None, None]
    assert view.title == "2 只股票"
    assert [column.label for column in view.columns][1] == "另一只 600519.SH 2025-11-21"
    assert len(view.ladders) == 2


async def test_runs_of_unknown_stocks_share_no_scale() -> None:
    data = await data_of()
    runs = [recorded(data, lambda own: own.update(symbol=""), folder=name) for name in ("a", "b")]
    view = side_by_side(*(replace(run, dossier=None) for run in runs))
    assert (view.stocks, len(view.ladders), view.columns[1].before) == (2, 2, None)


async def test_runs_of_one_date_are_numbered() -> None:
    data = await data_of()
    view = side_by_side(recorded(data), recorded(data, folder="again"))
    assert [column.label for column in view.columns] == ["2025-11-21 (1)", "2025-11-21 (2)"]


async def test_ladders_of_one_stock_are_on_one_scale() -> None:
    data = await data_of()
    view = side_by_side(with_close(earlier(data), 33.1), recorded(data))
    ((_, first), (_, second)) = view.ladders[0].ladders
    assert first
    assert second
    places = [{level.price: level.y for level in ladder.levels} for ladder in (first, second)]
    shared = set(places[0]) & set(places[1])
    assert shared
    assert all(places[0][price] == places[1][price] for price in shared)
    assert first.height == second.height
    for ladder in (first, second):
        assert all(24 <= level.text_y <= ladder.height - 24 for level in ladder.levels)


async def test_run_that_names_no_level_has_no_ladder_beside_the_others() -> None:
    data = await data_of()

    def without(own: dict[str, Any]) -> None:
        own.update(verdict=None, experts=[])

    view = side_by_side(replace(earlier(data, without), dossier=None), recorded(data))
    assert [ladder is None for _, ladder in view.ladders[0].ladders] == [True, False]
    assert "没有价位" in words(view)


# --- the page --------------------------------------------------------------------------------------------------


async def test_each_run_links_to_its_report() -> None:
    assert ("href", "before/report.html") in Tags(comparison_page(await compared())).attributes


async def test_text_of_a_model_is_text_wherever_it_stands() -> None:
    def hostile(data: dict[str, Any]) -> None:
        data.update(name=HOSTILE, failed_in=HOSTILE, unfinished=[HOSTILE], missing_data={HOSTILE: [HOSTILE]})
        data["verdict"].update(action=HOSTILE, stop_loss=HOSTILE, reasoning=HOSTILE, risk_warnings=[HOSTILE])
        data["debate"].update(risk_matrix=[{"risk": HOSTILE, "impact": HOSTILE}], direction=HOSTILE)
        data["experts"][0].update(label=HOSTILE, name=HOSTILE)
        data["experts"][0]["opinion"]["signal"] = HOSTILE
        data["experts"][1]["result"]["dimension_analyses"] = [{"dimension": HOSTILE, "score": 1}]
        data["warnings"] = [{"code": HOSTILE, "zh": HOSTILE, "en": HOSTILE}]
        data["totals"].update(currency=HOSTILE, cost=1.0)

    found = Tags(comparison_page(await compared(hostile)))
    assert found.tags.isdisjoint({"script", "img", "iframe", "object", "link", "form"})
    assert not {name for name, _ in found.attributes if name.startswith("on") or name == "src"}
    assert "\u202e" not in found.text
    assert found.text.count("<script>alert(1)</script>") > 10


async def test_page_is_in_english_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    data = await data_of()
    assert "Changed: was sell" in words(
        side_by_side(earlier(data, lambda own: own["verdict"].update(action="SELL")), recorded(data))
    )


# --- for programs ----------------------------------------------------------------------------------------------


async def test_json_names_every_change_by_its_path_and_the_run_it_is_compared_with() -> None:
    view = await compared(lambda data: data["verdict"].update(action="SELL", risk_warnings=["旧的风险"]))
    first, second = comparison_data(view)["runs"]
    assert (first["compared_with"], first["changes"], second["compared_with"]) == (None, [], 0)
    changes = {change["path"]: change for change in second["changes"]}
    assert changes["$.verdict.action"] == {"path": "$.verdict.action", "before": "SELL", "now": "BUY"}
    assert changes["$.risk_warnings"]["gone"] == ["旧的风险"]
    assert {entry["state"] for entry in changes["$.risk_warnings"]["entries"]} == {"new"}


async def test_json_is_the_same_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    data = await data_of(估值建模师=DOWN, 多头辩护人=DOWN)
    shown = []
    for spoken in ("zh", "en"):
        monkeypatch.setenv(VARIABLE, spoken)
        shown.append(comparison_data(side_by_side(earlier(data, old), recorded(data))))
    assert shown[0] == shown[1]


# --- hostile sizes -----------------------------------------------------------------------------------------------


async def test_result_with_very_many_entries_is_shown_in_bounds() -> None:
    many = 3_000

    def flood(data: dict[str, Any]) -> None:
        data["experts"] = [{"name": f"{n}", "opinion": {"signal": "BUY"}} for n in range(many)]
        data["warnings"] = [{"code": "one", "zh": f"{n}" * 40, "en": "x"} for n in range(many)]
        data["debate"]["risk_matrix"] = [{"risk": f"{n:04d}" * 30} for n in range(many)]
        data["experts"][0]["result"] = {"dimension_analyses": [{"dimension": f"{n}", "score": n} for n in range(many)]}

    view = await compared(flood, flood)
    (experts,) = [section for section in view.sections if section.anchor == "experts"]
    assert len(experts.rows) == MOST_EXPERTS + MOST_DIMENSIONS
    assert cell(view, "风险矩阵").hidden == many - MOST_ENTRIES
    assert [item.text for item in cell(view, "裁决的矛盾与疑点").items] == ["one"]
