"""The bull advocate's adapter."""

from __future__ import annotations

from dataclasses import replace

from src.modules.debate.domain.dtos.bull_bear_argument import BullArgument
from src.modules.debate.domain.rules import require_bullish
from src.modules.debate.infrastructure.agents.bull_advocate.output_parser import OUTPUT
from src.modules.debate.infrastructure.agents.prompted_advocate import PromptedAdvocate


class BullAdvocateAdapter(PromptedAdvocate[BullArgument]):
    """The bull advocate behind `AdvocatePort`, held to the side that it is asked to take."""

    output = replace(OUTPUT, rules=(require_bullish,))
