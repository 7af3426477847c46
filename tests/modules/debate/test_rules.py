"""The debate's rule: each advocate argues the side it was asked to take."""

import pytest

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.rules import require_bearish, require_bullish
from src.shared.domain.fields import Direction
from tests.modules.debate.contracts.bear_advocate import CONTRACT as BEAR_ADVOCATE
from tests.modules.debate.contracts.bull_advocate import CONTRACT as BULL_ADVOCATE


def test_advocates_that_keep_their_sides_stand() -> None:
    assert require_bullish(BullArgument(**BULL_ADVOCATE.answer)) is None
    assert require_bearish(BearArgument(**BEAR_ADVOCATE.answer)) is None


@pytest.mark.parametrize("direction", ["BEARISH", "NEUTRAL"])
def test_bull_that_does_not_argue_for_the_stock_is_refused(direction: Direction) -> None:
    broken = require_bullish(BullArgument(**(BULL_ADVOCATE.answer | {"direction": direction})))
    assert broken is not None
    assert (broken.loc, "须为 BULLISH" in broken.message.zh) == (("direction",), True)


@pytest.mark.parametrize("direction", ["BULLISH", "NEUTRAL"])
def test_bear_that_does_not_argue_against_it_is_refused(direction: Direction) -> None:
    broken = require_bearish(BearArgument(**(BEAR_ADVOCATE.answer | {"direction": direction})))
    assert broken is not None
    assert (broken.loc, "须为 BEARISH" in broken.message.zh) == (("direction",), True)
