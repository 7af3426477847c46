"""The judge's adapter."""

from __future__ import annotations

from dataclasses import replace

from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.domain.rules import require_position_for_buy
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.infrastructure.agents.prompt_files import load_prompts

ASKED = replace(OUTPUT, rules=(require_position_for_buy,))
"""The output contract, and what a decision has to hold to be carried out."""


class VerdictAdapter(PromptedAgent[JudgeInput, VerdictResult]):
    """The judge behind `VerdictPort`.

    Raises:
        PromptError: the prompts do not fit `JudgeInput`.
    """

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        super().__init__(llm, ASKED, load_prompts(__name__.rpartition(".")[0], JudgeInput), options)

    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        """Decide.

        Raises:
            AppException: no usable answer came.
        """
        return (await self.ask(judge_input)).result
