"""The judge's adapter."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.domain.rules import require_position_for_buy
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.infrastructure.agents.prompt_files import load_prompts


class VerdictAdapter(PromptedAgent[JudgeInput, VerdictResult]):
    """The judge behind `VerdictPort`, held to decisions that can be carried out.

    Attributes:
        task_type: what it is asked about: a subclass may be told more, with prompts in a folder of its own.

    Raises:
        PromptError: the prompts do not fit it.
    """

    task_type: ClassVar[type[JudgeInput]] = JudgeInput

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        output = replace(OUTPUT, rules=(require_position_for_buy,))
        super().__init__(llm, output, load_prompts(type(self).__module__, self.task_type), options)

    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        """Decide.

        Raises:
            AppException: no usable answer came.
        """
        return (await self.ask(judge_input)).result
