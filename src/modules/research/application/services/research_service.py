"""The use case of research: all experts at once, each with an outcome of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from src.modules.research.domain.dtos.expert_result import ExpertReport, ExpertResult, ResearchReport
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.modules.research.domain.inputs import ResearchInput
from src.shared.domain.exceptions import AppException


class ExpertPort(Protocol):
    """One expert with a view of its own."""

    @property
    def name(self) -> str:
        """The expert's name, as `technical_analyst`."""
        ...

    @property
    def label(self) -> str:
        """The expert's Chinese title."""
        ...

    async def analyse(self, research_input: ResearchInput) -> ExpertResult:
        """Judge the stock.

        Raises:
            MissingDataError: what this expert looks at is not given.
            AppException: no usable answer came.
        """
        ...


class ResearchService:
    """Asks the experts.

    Args:
        experts: in the order in which they are reported; their names differ.
        least: how many must answer for the result to be worth anything; 1 to the number of experts.

    Raises:
        ValueError: `least` is out of that range, or two experts have the same name.
    """

    def __init__(self, experts: Sequence[ExpertPort], *, least: int = 3) -> None:
        names = [expert.name for expert in experts]
        if len(set(names)) < len(names):
            message = f"experts must differ in name: {', '.join(names)}"
            raise ValueError(message)
        if not 1 <= least <= len(names):
            message = f"the least number of experts must be from 1 to {len(names)}, not {least}"
            raise ValueError(message)
        self._experts = tuple(experts)
        self._least = least

    async def run(self, research_input: ResearchInput) -> ResearchReport:
        """Ask all experts side by side. One that fails is reported with its reason, the others go on.

        Cancelling this cancels all of them. What an expert raises that is no `AppException` is a defect: it ends the
        others and is raised as an `ExceptionGroup`.

        Raises:
            TooFewExpertsError: fewer answered than it takes; says which failed and why, and holds the report.
        """
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_report(expert, research_input)) for expert in self._experts]
        report = ResearchReport(research_input.stock.symbol, tuple(task.result() for task in tasks))
        if len(report.results) < self._least:
            raise TooFewExpertsError(report, self._least)
        return report


async def _report(expert: ExpertPort, research_input: ResearchInput) -> ExpertReport:
    try:
        result = await expert.analyse(research_input)
    except AppException as error:
        return ExpertReport(expert.name, expert.label, error=error)
    return ExpertReport(expert.name, expert.label, result)
