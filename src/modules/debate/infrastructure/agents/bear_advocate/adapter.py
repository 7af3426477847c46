"""The bear advocate's adapter."""

from __future__ import annotations

from dataclasses import replace

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument
from src.modules.debate.domain.rules import require_bearish
from src.modules.debate.infrastructure.agents.bear_advocate.output_parser import OUTPUT
from src.modules.debate.infrastructure.agents.prompted_advocate import PromptedAdvocate


class BearAdvocateAdapter(PromptedAdvocate[BearArgument]):
    """The bear advocate behind `AdvocatePort`, held to the side that it is asked to take."""

    output = replace(OUTPUT, rules=(require_bearish,))
