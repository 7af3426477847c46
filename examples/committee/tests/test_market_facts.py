"""What the judge is told of the price."""

import pytest

from examples.committee.market_facts import daily_limits, market_facts
from examples.committee.tests.committees import DOSSIER, sat
from src.modules.research.domain.dtos.expert_result import ResearchReport

NOBODY = ResearchReport("688999.SH", ())


@pytest.mark.anyio
async def test_levels_and_value_range_are_the_dossiers_and_the_experts_each_once() -> None:
    report = (await sat()).research
    assert report is not None
    levels = report.results["technical_analyst"].key_technical_levels  # type: ignore[attr-defined]  # its own
    value = report.results["valuation_modeler"].estimated_intrinsic_value_range  # type: ignore[attr-defined]  # its own
    found = market_facts(DOSSIER, report)
    assert (found.support, found.resistance) == ([36.9, 34.5, levels.support], [39.9, 42.8, levels.resistance])
    assert (found.value_low, found.value_high) == (value.lower_bound, value.upper_bound)


def test_other_amounts_of_a_share_are_named_as_the_dossier_means_them() -> None:
    other = market_facts(DOSSIER, NOBODY).other_prices
    assert (other["20 日均线"], other["52 周最高价"], other["每股收益一致预期 1"]) == (36.92, 42.8, 1.16)
    assert "250 日均线" not in other


@pytest.mark.parametrize(
    ("missing", "price"),
    [((), 38.62), (("technical",), 38.62), (("valuation",), 38.62), (("technical", "valuation"), None)],
)
def test_price_is_the_last_close_else_the_valuations(missing: tuple[str, ...], price: float | None) -> None:
    found = market_facts(DOSSIER.model_copy(update=dict.fromkeys(missing)), NOBODY)
    limits = (30.9, 46.34) if price else (None, None)
    assert (found.price, (found.lower_limit, found.upper_limit)) == (price, limits)


@pytest.mark.parametrize(
    ("symbol", "name", "limits"),
    [
        ("605001.SH", "临溪", (9.05, 11.06)),
        ("300750.SZ", "NEW临溪", (8.04, 12.06)),
        ("920001.bj", "临溪", (7.04, 13.07)),
        *((symbol, "临溪", (None, None)) for symbol in ("510300.SH", "AAPL", "600519", "6005190.SH", "688999.SZ")),
        *(("600519.SH", name, (None, None)) for name in ("N临溪", "C临溪", "*ST临溪", "临溪退")),
    ],
)
def test_limits_are_the_boards_share_of_the_close_and_unknown_where_other_rules_may_hold(
    symbol: str, name: str, limits: tuple[float | None, float | None]
) -> None:
    assert daily_limits(symbol, name, 10.05) == limits
