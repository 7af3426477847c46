"""The judge of the committee: the judge context's agent with a prompt that has the prices in it."""

from __future__ import annotations

from examples.committee.market_facts import PricedJudgeInput
from src.modules.judge.infrastructure.agents.verdict.adapter import VerdictAdapter


class PricedVerdictAdapter(VerdictAdapter):
    """The judge behind `VerdictPort`; it is asked with a `PricedJudgeInput`.

    Raises:
        PromptError: the prompts do not fit it.
    """

    task_type = PricedJudgeInput
