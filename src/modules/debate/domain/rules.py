"""The debate context's rules, and what follows when an answer breaks one.

| rule | consequence |
| --- | --- |
| the bull comes out for BULLISH, the bear for BEARISH | refuse: the advocate is asked again, then fails |

Correcting the direction would hide that the case was made for the other side.
"""

from __future__ import annotations

from src.modules.debate.domain.dtos.bull_bear_argument import Argument, BearArgument, BullArgument
from src.shared.domain.fields import Direction
from src.shared.domain.rules import RuleViolationError

KEEPS_ITS_SIDE = "advocate_keeps_its_side"


def require_bullish(argument: BullArgument) -> None:
    """Refuse a bull who does not argue for the stock.

    Raises:
        RuleViolationError: the direction is another.
    """
    _require(argument, "BULLISH", "多头辩护人")


def require_bearish(argument: BearArgument) -> None:
    """Refuse a bear who does not argue against the stock.

    Raises:
        RuleViolationError: the direction is another.
    """
    _require(argument, "BEARISH", "空头辩护人")


def _require(argument: Argument, direction: Direction, who: str) -> None:
    if argument.direction != direction:
        message = (
            f"{who}的 direction 须为 {direction}，得到的是 {argument.direction}；论据不足时降低 confidence，不改变立场 "
            f"(this advocate argues {direction}; lower the confidence instead of changing sides)"
        )
        raise RuleViolationError.of(KEEPS_ITS_SIDE, "direction", message)
