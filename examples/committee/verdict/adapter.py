"""The judge of the committee: the judge context's agent with a prompt that has the prices in it."""

from __future__ import annotations

from examples.committee.market_facts import PricedJudgeInput
from src.modules.judge.infrastructure.agents.verdict.adapter import ASKED, VerdictAdapter
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.infrastructure.agents.prompt_files import load_prompts


class PricedVerdictAdapter(VerdictAdapter):
    """The judge behind `VerdictPort`; it is asked with a `PricedJudgeInput`.

    Raises:
        PromptError: the prompts do not fit it.
    """

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        prompts = load_prompts(__name__.rpartition(".")[0], PricedJudgeInput)
        PromptedAgent.__init__(self, llm, ASKED, prompts, options)
