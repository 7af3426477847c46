"""What the analyses of one dimension have in common, whichever analyst wrote them."""

from pydantic import BaseModel, Field

from src.shared.domain.fields import Score


class AssessedDimension(BaseModel):
    """One dimension of an analysis, and what was thought of it."""

    dimension: str = Field(description="Name of the dimension analysed.")
    assessment: str = Field(description="What the analyst makes of this dimension.")


class ScoredDimension(AssessedDimension):
    """A dimension with a score on the common scale."""

    score: Score = Field(description="Points for this dimension: whole, 0 (worst) to 100 (best), both included.")
    key_findings: list[str] = Field(description="The findings the assessment rests on; may be empty.")
