"""The valuation modeler's result."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult, joined
from src.shared.domain.fields import Confidence, QuantityText

ValuationVerdict: TypeAlias = Literal["Undervalued", "Fair", "Overvalued"]


class IntrinsicValueRangeDTO(BaseModel):
    """Where the intrinsic value of a share lies; text, because the derivation belongs to the number."""

    lower_bound: QuantityText = Field(description="Lowest plausible value per share, and how it was derived.")
    upper_bound: QuantityText = Field(description="Highest plausible value per share, and how it was derived.")


class ValuationResultDTO(ExpertResult):
    """What a share is worth, compared with its price."""

    valuation_verdict: ValuationVerdict = Field(description="The price compared with the intrinsic value.")
    confidence_score: Confidence
    estimated_intrinsic_value_range: IntrinsicValueRangeDTO = Field(description="The intrinsic value's range.")
    key_evidence: list[str] = Field(min_length=1, description="What the verdict rests on; at least one.")
    risk_factors: list[str] = Field(min_length=1, description="What could make it wrong; at least one.")
    reasoning_summary: str = Field(description="How the verdict follows from the evidence.")

    def opinion(self) -> ExpertOpinion:
        """The result in short."""
        value = self.estimated_intrinsic_value_range
        return ExpertOpinion(
            signal=self.valuation_verdict,
            confidence=self.confidence_score,
            reasoning=joined(
                self.reasoning_summary,
                f"内在价值下限：{value.lower_bound}",
                f"上限：{value.upper_bound}",
                *self.key_evidence,
            ),
            risk_warning=joined(*self.risk_factors),
        )
