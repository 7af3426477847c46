"""The catalyst detective's result."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from src.modules.research.domain.dtos.dimension_analysis import ScoredDimension
from src.shared.domain.agent_result import AgentResult
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


class CatalystDetectiveResultDTO(AgentResult):
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
