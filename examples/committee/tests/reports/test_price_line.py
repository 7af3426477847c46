"""The line of daily closes: every day, in its place, with the levels that lie near it."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from examples.committee.domain.dossier import Dossier
from examples.committee.reports.html_report import html_report
from examples.committee.reports.ladder import ladder_of
from examples.committee.reports.price_line import WIDTH, PriceLine, price_line_of
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat

pytestmark = pytest.mark.anyio

FIGURE = '<figure class="prices">'


def closing(*closes: float) -> Dossier:
    """The example with other closes, on the days up to its date."""
    first = DOSSIER.stock.as_of - timedelta(days=len(closes) - 1)
    days = [{"date": first + timedelta(days=place), "close": close} for place, close in enumerate(closes)]
    return Dossier.model_validate(DOSSIER.model_dump(exclude={"price_history"}) | {"price_history": days})


def points(line: PriceLine) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (point.split(",") for point in line.points.split())]


async def drawn(*closes: float) -> PriceLine:
    dossier = closing(*closes)
    line = price_line_of(dossier, ladder_of(dossier, await sat()))
    assert line is not None
    return line


async def test_each_day_is_a_point_from_the_left_to_the_right_and_a_higher_close_lies_higher() -> None:
    found = points(await drawn(38.0, 39.0, 37.0))
    assert [x for x, _ in found] == [0, WIDTH / 2, WIDTH]
    (_, first), (_, highest), (_, lowest) = found
    assert highest < first < lowest


async def test_level_lies_where_a_close_of_its_price_does() -> None:
    line = await drawn(38.0, 36.9, 38.62)
    at = {one.level.price: one.y for one in line.levels}
    assert (at[36.9], at[38.62]) == (points(line)[1][1], points(line)[2][1])


async def test_texts_of_levels_have_room_and_stay_inside() -> None:
    line = await drawn(38.0, 38.62)
    texts = [one.text_y for one in line.levels]
    assert len(texts) > 3
    assert all(later - earlier >= 17 for earlier, later in pairwise(texts))
    assert 0 <= texts[0] <= texts[-1] <= line.height


async def test_level_far_from_every_close_is_on_the_ladder_alone() -> None:
    line = await drawn(10.0, 11.0)
    assert line.levels == ()
    assert line.height == 200


async def test_closes_that_never_change_are_a_line_too() -> None:
    line = price_line_of(closing(5.0, 5.0), None)
    assert line is not None
    assert points(line) == [(0, 12), (WIDTH, 12)]


@pytest.mark.parametrize("closes", [(), (38.62,)])
async def test_one_day_is_no_line(closes: tuple[float, ...]) -> None:
    dossier = closing(*closes)
    assert price_line_of(dossier, None) is None
    assert FIGURE not in html_report(dossier, await sat())


async def test_line_stands_once_beside_the_technical_analysts_claims_and_says_what_it_shows() -> None:
    document = html_report(DOSSIER, await sat())
    assert document.count(FIGURE) == 1
    card = document.split('id="expert-technical_analyst"')[1].split("</article>")[0]
    assert FIGURE in card
    assert "2025-05-29 至 2025-11-21：最低 26.18，最高 39.75，最后 38.62" in card


async def test_line_is_not_drawn_where_nobody_has_judged_the_price() -> None:
    assert FIGURE not in html_report(DOSSIER, await sat(技术分析师=DOWN))


def test_dossier_without_closes_has_no_line() -> None:
    assert price_line_of(DOSSIER.model_copy(update={"price_history": None}), None) is None
    assert DOSSIER.stock.as_of == date(2025, 11, 21)
