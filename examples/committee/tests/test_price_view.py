"""What the dossier and the experts say about the price."""

import pytest

from examples.committee.domain import price_view as module
from examples.committee.domain.price_view import PriceView, price_view
from examples.committee.tests.inputs import dossier
from src.modules.research.container import ResearchContainer
from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.modules.research.domain.inputs import TechnicalSnapshot
from tests.modules.answers import answering
from tests.shared.routed_llm import typed_llm

pytestmark = pytest.mark.anyio

NOBODY = ResearchReport("688999.SH", ())


async def report() -> ResearchReport:
    return await ResearchContainer(llm=typed_llm(answering())).research_service().run(dossier())


async def test_levels_are_the_dossiers_and_the_technical_analysts_each_once() -> None:
    found = await report()
    levels = found.results["technical_analyst"].key_technical_levels  # type: ignore[attr-defined]  # its own
    view = price_view(dossier(), found)
    assert view.support == (36.9, 34.5, levels.support)
    assert view.resistance == (39.9, 42.8, levels.resistance)


async def test_value_range_is_the_valuation_modelers_with_its_derivation() -> None:
    found = await report()
    value = found.results["valuation_modeler"].estimated_intrinsic_value_range  # type: ignore[attr-defined]  # its own
    view = price_view(dossier(), found)
    assert (view.value_low, view.value_high) == (value.lower_bound, value.upper_bound)


async def test_other_amounts_of_a_share_are_named_as_the_dossier_means_them() -> None:
    other = price_view(dossier(), NOBODY).other
    assert (other["20 日均线"], other["52 周最高价"], other["格雷厄姆价值"]) == (36.92, 42.8, 14.37)
    assert other["每股收益一致预期 1"] == 1.16
    assert "250 日均线" not in other


@pytest.mark.parametrize(
    ("missing", "price"),
    [((), 38.62), (("technical",), 38.62), (("valuation",), 38.62), (("technical", "valuation"), None)],
)
async def test_price_is_the_last_close_else_the_valuations(missing: tuple[str, ...], price: float | None) -> None:
    assert price_view(dossier().model_copy(update=dict.fromkeys(missing)), NOBODY).price == price


async def test_dossier_without_prices_gives_none() -> None:
    sections = dict.fromkeys(("technical", "financial", "valuation"))
    assert price_view(dossier().model_copy(update=sections), NOBODY) == PriceView()


def test_every_price_of_the_chart_is_told() -> None:
    told = {*module._TECHNICAL, "close", "support_levels", "resistance_levels"}  # noqa: SLF001 - to forget none
    in_yuan = {name for name, field in TechnicalSnapshot.model_fields.items() if "单位：元" in str(field.description)}
    assert in_yuan - told == {"macd_dif", "macd_dea", "macd_histogram"}
