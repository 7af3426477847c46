"""The bear advocate's adapter."""

from __future__ import annotations

from dataclasses import replace

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument
from src.modules.debate.domain.dtos.debate_input import DebateInput
from src.modules.debate.domain.rules import require_bearish
from src.modules.debate.infrastructure.agents.bear_advocate.output_parser import OUTPUT
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.infrastructure.agents.prompt_files import load_prompts

ASKED = replace(OUTPUT, rules=(require_bearish,))
"""The output contract, and the side that an advocate was asked to take."""


class BearAdvocateAdapter(PromptedAgent[DebateInput, BearArgument]):
    """The bear advocate behind `AdvocatePort`.

    Raises:
        PromptError: the prompts do not fit `DebateInput`.
    """

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        prompts = load_prompts(__name__.rpartition(".")[0], DebateInput)
        super().__init__(llm, ASKED, prompts, options)

    async def advocate(self, debate_input: DebateInput) -> BearArgument:
        """Make the case against the stock.

        Raises:
            AppException: no usable answer came.
        """
        return (await self.ask(debate_input)).result
