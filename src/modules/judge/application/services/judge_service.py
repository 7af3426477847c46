"""The use case of judging: one decision from a debate's outcome."""

from __future__ import annotations

from typing import Protocol

from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.judge.domain.dtos.verdict_result import VerdictResult


class VerdictPort(Protocol):
    """Decides what to do."""

    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        """Decide.

        Raises:
            AppException: no usable answer came.
        """
        ...


class JudgeService:
    """Judges a stock.

    Args:
        verdict_agent: decides.
    """

    def __init__(self, verdict_agent: VerdictPort) -> None:
        self._verdict = verdict_agent

    async def run(self, judge_input: JudgeInput) -> VerdictDTO:
        """Decide on a stock.

        Raises:
            AppException: no usable answer came.
        """
        verdict = await self._verdict.judge(judge_input)
        return VerdictDTO(symbol=judge_input.symbol, **verdict.model_dump())
