"""The catalyst detective's result."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult, ScoredDimension, joined
from src.shared.domain.fields import Confidence, QuantityText

CatalystAssessment: TypeAlias = Literal["Positive (正面催化)", "Neutral (中性)", "Negative (负面催化)"]


class CatalystDimensionAnalysis(ScoredDimension):
    """One kind of catalyst, such as earnings or regulation."""


class CatalystEvent(BaseModel):
    """Something that may move the price."""

    event: str = Field(description="What happens.")
    expected_impact: QuantityText = Field(
        description="What it would do to the company or its price; empty when nothing was said."
    )
    timeframe: QuantityText = Field(description="When it is expected, or within what time.")
    probability: QuantityText = Field(description="How likely it is, in words or as the number the agent wrote.")


class CatalystDetectiveResultDTO(ExpertResult):
    """What may move a stock's price soon."""

    catalyst_assessment: CatalystAssessment = Field(description="All catalysts taken together.")
    confidence_score: Confidence
    catalyst_summary: str = Field(description="Why the catalysts are judged this way.")
    dimension_analyses: list[CatalystDimensionAnalysis] = Field(
        description="The kinds of catalyst looked at, one entry each; may be empty."
    )
    positive_catalysts: list[CatalystEvent] = Field(description="Events that may lift the price; may be empty.")
    negative_catalysts: list[CatalystEvent] = Field(description="Events that may lower it; may be empty.")
    information_sources: list[str] = Field(description="Where the facts come from; may be empty.")

    def opinion(self) -> ExpertOpinion:
        """The result in short."""
        return ExpertOpinion(
            signal=self.catalyst_assessment,
            confidence=self.confidence_score,
            reasoning=joined(self.catalyst_summary, *map(_in_short, self.positive_catalysts)),
            risk_warning=joined(*map(_in_short, self.negative_catalysts)),
        )


def _in_short(event: CatalystEvent) -> str:
    return f"{event.event}（时间：{event.timeframe}；概率：{event.probability}）"
