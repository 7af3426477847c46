"""The debate context's rules, and what follows when an answer breaks one.

| rule | consequence |
| --- | --- |
| the bull comes out for BULLISH, the bear for BEARISH | refuse: the advocate is asked again, then fails |

Correcting the direction would hide that the case was made for the other side. The contract of the parsers leaves the
direction open, because a text alone does not say which side was asked for: the adapter, which asks, applies the rule.
"""

from __future__ import annotations

from src.modules.debate.domain.dtos.bull_bear_argument import Argument, BearArgument, BullArgument
from src.shared.domain.fields import Direction
from src.shared.domain.language import Message, Phrase
from src.shared.domain.rules import RuleViolation

KEEPS_ITS_SIDE = "advocate_keeps_its_side"


def require_bullish(argument: BullArgument) -> RuleViolation | None:
    """A bull argues for the stock."""
    return _require(argument, "BULLISH", Phrase("the bull"))


def require_bearish(argument: BearArgument) -> RuleViolation | None:
    """A bear argues against the stock."""
    return _require(argument, "BEARISH", Phrase("the bear"))


def _require(argument: Argument, direction: Direction, who: Message) -> RuleViolation | None:
    if argument.direction == direction:
        return None
    message = Phrase(
        "the direction of {who} must be {direction}, not {wrong}; lower the confidence instead of changing sides",
        who=who,
        direction=direction,
        wrong=argument.direction,
    )
    return RuleViolation(KEEPS_ITS_SIDE, "direction", message)
