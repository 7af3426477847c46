"""The ladder of prices: every level that somebody names, at its place, and only amounts that the texts write."""

import json
import re
from itertools import pairwise

import pytest

from examples.committee.reports.html_report import html_report
from examples.committee.reports.ladder import Ladder, ladder_of
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from src.modules.research.domain.inputs import TechnicalSnapshot
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT

pytestmark = pytest.mark.anyio

DEAR = DOSSIER.model_copy(
    update={
        "technical": (DOSSIER.technical or TechnicalSnapshot()).model_copy(
            update={"close": 1680.0, "support_levels": None, "resistance_levels": None}
        )
    }
)
"""The dossier at the prices that the answers of `sat` speak of."""


async def ladder(**verdict: str) -> Ladder:
    found = ladder_of(DOSSIER, await sat(裁决=json.dumps(VERDICT.answer | verdict)))
    assert found
    return found


async def test_level_is_drawn_with_all_its_names_and_its_distance_from_the_price() -> None:
    found = await ladder(stop_loss="跌破 34.5 元", take_profit="42.8 元")
    named = {level.price: (level.names, level.change) for level in found.levels}
    assert named[34.5] == ("支撑位、止损", "−10.7%")
    assert named[42.8] == ("压力位、止盈", "+10.8%")
    assert named[38.62] == ("现价", "")


async def test_higher_price_lies_higher_and_each_text_has_its_room() -> None:
    found = await ladder(stop_loss="36.91 元、36.92 元", take_profit="42.8 元")
    prices, places = [level.price for level in found.levels], [level.y for level in found.levels]
    texts = [level.text_y for level in found.levels]
    assert prices == sorted(prices, reverse=True)
    assert places == sorted(places)
    assert all(lower - upper >= 47.9 for upper, lower in pairwise(texts))
    assert texts[0] >= 24
    assert texts[-1] <= found.height - 24


async def test_band_is_the_value_range() -> None:
    found = ladder_of(DEAR, await sat())
    assert found
    places = {name: level.y for level in found.levels for name in level.names.split("、")}
    assert found.band == (places["估值上限"], round(places["估值下限"] - places["估值上限"], 1))


async def test_level_that_is_far_away_is_named_and_not_drawn() -> None:
    found = ladder_of(DEAR, await sat(裁决=json.dumps(VERDICT.answer | {"take_profit": "16800 元"})))
    assert found
    assert found.outside == ("止盈 16800",)
    assert 16800 not in [level.price for level in found.levels]


async def test_plan_without_amounts_adds_no_level() -> None:
    found = await ladder(stop_loss="跌 8% 离场", take_profit="两周之内")
    assert not re.search("止损|止盈", "".join(level.names for level in found.levels))


async def test_there_is_no_ladder_without_two_levels() -> None:
    bare = DOSSIER.model_copy(update={"technical": None, "valuation": None})
    result = await sat(技术分析师=DOWN, 估值建模师=DOWN, 裁决=DOWN)
    assert ladder_of(bare, result) is None
    assert 'id="levels"' not in html_report(bare, result)


async def test_ladder_is_told_in_words_to_who_cannot_see_it() -> None:
    document = html_report(DOSSIER, await sat())
    told = re.search(r'aria-label="价位，由高到低：([^"]*)"', document)
    assert told
    assert "38.62 现价" in told[1]
