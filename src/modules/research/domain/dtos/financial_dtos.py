"""The financial auditor's result."""

from typing import Literal, TypeAlias

from pydantic import Field

from src.modules.research.domain.dtos.expert_result import AssessedDimension, ExpertOpinion, ExpertResult, joined
from src.shared.domain.fields import Confidence, FiniteNumber, Score

FinancialSignal: TypeAlias = Literal["STRONG_BULLISH", "BULLISH", "NEUTRAL", "BEARISH", "STRONG_BEARISH"]


class DimensionAnalysisDTO(AssessedDimension):
    """One dimension of the statements, such as profitability or cash flow."""

    score: FiniteNumber = Field(description="Points for this dimension, on the scale the auditor chose; finite.")
    key_findings: list[str] = Field(
        default_factory=list, description="The findings the assessment rests on; may be empty."
    )


class FinancialAuditResultDTO(ExpertResult):
    """What a company's statements say about it."""

    financial_score: Score = Field(
        description="Soundness of the finances: whole points, 0 (worst) to 100 (best), both included."
    )
    signal: FinancialSignal = Field(description="Direction the finances point to; agrees with the score.")
    confidence: Confidence
    summary_reasoning: str = Field(description="Why the finances are judged this way.")
    dimension_analyses: list[DimensionAnalysisDTO] = Field(
        default_factory=list, description="The dimensions looked at, one entry each; may be empty."
    )
    key_risks: list[str] = Field(default_factory=list, description="Risks seen in the statements; may be empty.")
    risk_warning: str = Field(description="What would prove this judgement wrong; empty when nothing was said.")

    def opinion(self) -> ExpertOpinion:
        """The result in short."""
        return ExpertOpinion(
            signal=self.signal,
            confidence=self.confidence,
            reasoning=joined(self.summary_reasoning, f"财务评分 {self.financial_score}（满分 100）"),
            risk_warning=joined(self.risk_warning, *self.key_risks),
        )
