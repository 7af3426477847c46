"""What came of asking all experts."""

from __future__ import annotations

from dataclasses import dataclass

from src.modules.research.domain.dtos.expert_result import ExpertResult
from src.shared.domain.exceptions import AppException


@dataclass(frozen=True, slots=True)
class ExpertReport:
    """What came of asking one expert: a result or the reason why there is none.

    Attributes:
        name: the expert's name.
        label: its Chinese title.
        result: what it found; None where it failed.
        error: why it failed; None where it did not.
    """

    name: str
    label: str
    result: ExpertResult | None = None
    error: AppException | None = None


@dataclass(frozen=True, slots=True)
class ResearchReport:
    """All experts, in the order in which they are listed.

    Attributes:
        symbol: the stock.
        experts: one entry each, whatever came of it.
    """

    symbol: str
    experts: tuple[ExpertReport, ...]

    @property
    def results(self) -> dict[str, ExpertResult]:
        """Expert → result, of those that answered."""
        return {expert.name: expert.result for expert in self.experts if expert.result is not None}

    @property
    def failures(self) -> dict[str, str]:
        """Expert → reason, of those that did not."""
        return {expert.name: expert.error.message for expert in self.experts if expert.error is not None}
