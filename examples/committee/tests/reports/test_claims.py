"""Claims and figures: a link leads from a number to the dossier's figure, and only where there is no doubt."""

import re

import pytest

from examples.committee.reports.charts import charts_of
from examples.committee.reports.claims import pieces_of
from examples.committee.reports.figures import figures_of, sources_of
from examples.committee.reports.html_report import html_report
from examples.committee.tests.reports.runs import DOSSIER, sat
from src.shared.domain.language import VARIABLE

FIGURES = figures_of(DOSSIER)


def linked(text: str) -> list[tuple[str, str]]:
    return [(piece.text, piece.anchor.removeprefix("figure-")) for piece in pieces_of(text, FIGURES) if piece.anchor]


@pytest.mark.parametrize(
    ("claim", "links"),
    [
        ("净现比只有 0.65", [("0.65", "financial-cash_to_profit")]),
        ("股息率 0.65%", [("0.65", "valuation-dividend_yield")]),
        ("高于 MA5（38.05 元）", [("38.05", "technical-ma5")]),
        ("MA20 为 36.92 元", [("36.92", "technical-ma20")]),
        ("在 38.62 元追高", [("38.62", "technical-close")]),
        ("2025Q1 经营现金流为 −0.18 亿元", [("−0.18", "financial-quarters-3-operating_cash_flow")]),
        ("2025Q3 净利润 0.69 亿元", [("0.69", "financial-quarters-1-net_profit")]),
        ("应收账款周转天数 121 天", [("121", "financial-receivable_days")]),
        ("ADX 27.4 且 +DI 高于 −DI", [("27.4", "technical-adx14")]),
        ("下一支撑看 34.5 元", [("34.5", "technical-2-support_levels")]),
        ("dividend_yield of 0.65%", [("0.65", "valuation-dividend_yield")]),
    ],
)
def test_number_that_a_claim_takes_from_the_dossier_leads_to_its_figure(
    claim: str, links: list[tuple[str, str]]
) -> None:
    assert linked(claim) == links


@pytest.mark.parametrize(
    "claim",
    [
        "只值 34.5 元",
        "现价对应 26.5 倍",
        "置信度 0.65",
        "12 月 15 日、2025 年、121 号",
        "布林中轨与 20 日均线都是 36.92 元",
        "0.650.1、1338.62、38.621",
        "净现比 0.65 亿元",
        "没有数字",
        "",
    ],
)
def test_number_that_may_be_something_else_is_no_link(claim: str) -> None:
    assert linked(claim) == []


@pytest.mark.parametrize(("between", "links"), [(199, 1), (200, 0)])
def test_name_is_looked_for_within_a_long_sentence(between: int, links: int) -> None:
    assert len(linked("净现比" + "的" * (between - 2) + "0.65")) == links


@pytest.mark.parametrize("text", ["净现比 0.65，另有 0.69 亿元", "38.62", "", "没有"])
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(piece.text for piece in pieces_of(text, FIGURES)) == text


def test_every_number_that_an_expert_sees_has_one_place() -> None:
    anchors = [figure.anchor for figure in FIGURES]
    assert len(set(anchors)) == len(anchors)
    assert sorted(figure.value for figure in FIGURES) == sorted(
        numbers(DOSSIER.model_dump(exclude={"version", "price_history"}))
    )


def numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [found for part in value.values() for found in numbers(part)]
    if isinstance(value, list):
        return [found for part in value for found in numbers(part)]
    return [value] if isinstance(value, float | int) else []


def test_series_is_drawn_oldest_first_where_a_claim_cites_it() -> None:
    (chart,) = charts_of(FIGURES, {"figure-financial-quarters-1-revenue"})
    assert chart.title == "营业收入，亿元"
    assert [(point.label, point.value) for point in chart.points] == [
        ("24Q3", "3.33"),
        ("24Q4", "3.69"),
        ("25Q1", "3.2"),
        ("25Q2", "3.85"),
        ("25Q3", "4.12"),
    ]
    assert [point.is_cited for point in chart.points] == [False, False, False, False, True]


def test_series_that_nobody_cites_is_not_drawn() -> None:
    assert charts_of(FIGURES, {"figure-financial-roe"}) == ()


def test_bars_begin_at_zero_and_a_negative_one_hangs_from_it() -> None:
    (chart,) = charts_of(FIGURES, {"figure-financial-quarters-3-operating_cash_flow"})
    values = [float(point.value) for point in chart.points]
    zero = next(point.top + point.height for point in chart.points if not point.value.startswith("-"))
    for value, point in zip(values, chart.points, strict=True):
        assert point.height == pytest.approx(abs(value) / (max(values) - min(values)) * 64, abs=0.06)
        assert (point.top if value < 0 else point.top + point.height) == pytest.approx(zero, abs=0.11)


def test_averages_lead_up_to_the_price() -> None:
    (chart,) = charts_of(FIGURES, {"figure-technical-ma20"})
    assert [point.label for point in chart.points] == ["120", "60", "20", "10", "5", "收盘"]
    assert chart.is_level
    assert [point.top for point in chart.points] == sorted((point.top for point in chart.points), reverse=True)


@pytest.mark.anyio
async def test_page_has_every_figure_and_every_source() -> None:
    document = html_report(DOSSIER, await sat())
    for figure in FIGURES:
        assert f'<div id="{figure.anchor}"><dt>{figure.name}</dt><dd>{figure.shown}</dd></div>' in document
    assert sources_of(DOSSIER)
    for source in sources_of(DOSSIER):
        assert source.text in document


@pytest.mark.anyio
async def test_english_report_names_figures_and_units_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    listed = re.findall(r'<div id="figure-[^>]*>(.*?)</div>', html_report(DOSSIER, await sat()))
    assert "<dt>revenue ttm</dt><dd>14.86 × 100 million</dd>" in listed
    assert all(text.replace("×", "").isascii() for text in listed)
