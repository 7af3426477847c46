"""The port to the judge."""

from __future__ import annotations

from typing import Protocol

from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict_result import VerdictResult


class VerdictPort(Protocol):
    """Decides what to do."""

    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        """Decide.

        Raises:
            AppException: no usable answer came.
        """
        ...
