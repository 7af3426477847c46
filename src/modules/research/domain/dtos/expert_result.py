"""What the experts' results have in common, and what came of asking all of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from pydantic import BaseModel, Field

from src.shared.domain.exceptions import AppException
from src.shared.domain.fields import AgentResult, Confidence, Score


class ExpertOpinion(BaseModel):
    """An expert's result in short, in the expert's own words."""

    signal: str = Field(description="What the expert concludes, in the terms of its own scale.")
    confidence: Confidence
    reasoning: str = Field(description="Why, and the facts it rests on.")
    risk_warning: str = Field(description="What would prove it wrong; empty when nothing was said.")


class ExpertResult(AgentResult):
    """Base of the experts' results."""

    @abstractmethod
    def opinion(self) -> ExpertOpinion:
        """The result in short. Nothing is judged anew: words are copied, numbers keep their units."""
        ...


def joined(*texts: str) -> str:
    """Several texts as one; blank ones are left out."""
    return "；".join(text.strip() for text in texts if text.strip())


class AssessedDimension(BaseModel):
    """One dimension of an analysis, and what was thought of it."""

    dimension: str = Field(description="Name of the dimension analysed.")
    assessment: str = Field(description="What the analyst makes of this dimension.")


class ScoredDimension(AssessedDimension):
    """A dimension with a score on the common scale."""

    score: Score = Field(description="Points for this dimension: whole, 0 (worst) to 100 (best), both included.")
    key_findings: list[str] = Field(description="The findings the assessment rests on; may be empty.")


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
