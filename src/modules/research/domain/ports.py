"""The port to an expert."""

from __future__ import annotations

from typing import Protocol

from src.modules.research.domain.dtos.expert_result import ExpertResult
from src.modules.research.domain.inputs import ResearchInput


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
