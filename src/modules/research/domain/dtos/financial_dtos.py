"""The financial auditor's result."""

from typing import Literal, TypeAlias

from pydantic import Field

from src.modules.research.domain.dtos.dimension_analysis import AssessedDimension
from src.shared.domain.agent_result import AgentResult
from src.shared.domain.fields import Confidence, FiniteNumber, Score

FinancialSignal: TypeAlias = Literal["STRONG_BULLISH", "BULLISH", "NEUTRAL", "BEARISH", "STRONG_BEARISH"]


class DimensionAnalysisDTO(AssessedDimension):
    """One dimension of the statements, such as profitability or cash flow."""

    score: FiniteNumber = Field(description="Points for this dimension, on the scale the auditor chose; finite.")
    key_findings: list[str] = Field(
        default_factory=list, description="The findings the assessment rests on; may be empty."
    )


class FinancialAuditResultDTO(AgentResult):
    """What a company's statements say about it."""

    financial_score: Score = Field(
        description="Soundness of the finances: whole points, 0 (worst) to 100 (best), both included."
    )
    signal: FinancialSignal = Field(description="Direction the finances point to; agrees with the score.")
    confidence: Confidence
    summary_reasoning: str = Field(description="Why the finances are judged this way.")
    dimension_analyses: list[DimensionAnalysisDTO] = Field(
        description="The dimensions looked at, one entry each; may be empty."
    )
    key_risks: list[str] = Field(default_factory=list, description="Risks seen in the statements; may be empty.")
    risk_warning: str = Field(description="What would prove this judgement wrong; empty when nothing was said.")
