"""The technical analyst's result."""

from pydantic import BaseModel, Field

from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult, joined
from src.shared.domain.fields import Confidence, Direction, FiniteNumber


class KeyTechnicalLevelsDTO(BaseModel):
    """The two price levels that matter most, in the currency the stock is quoted in."""

    support: FiniteNumber = Field(description="Price at which the stock is expected to stop falling.")
    resistance: FiniteNumber = Field(description="Price at which the stock is expected to stop rising.")


class TechnicalAnalysisResultDTO(ExpertResult):
    """What price and volume say about a stock."""

    signal: Direction = Field(description="Direction the chart points to.")
    confidence: Confidence
    summary_reasoning: str = Field(description="Why the chart is read this way.")
    key_technical_levels: KeyTechnicalLevelsDTO = Field(description="Nearest support and resistance.")
    risk_warning: str = Field(description="What would prove this reading wrong.")

    def opinion(self) -> ExpertOpinion:
        """The result in short."""
        levels = self.key_technical_levels
        return ExpertOpinion(
            signal=self.signal,
            confidence=self.confidence,
            reasoning=joined(self.summary_reasoning, f"支撑位 {levels.support}，压力位 {levels.resistance}"),
            risk_warning=self.risk_warning,
        )
