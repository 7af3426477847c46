"""What the experts' results have in common: four fields to compare them by, and the analysis of one dimension."""

from __future__ import annotations

from abc import abstractmethod

from pydantic import BaseModel, Field

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
