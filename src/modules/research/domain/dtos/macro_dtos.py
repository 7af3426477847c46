"""The macro intelligence officer's result."""

from typing import Literal, TypeAlias

from pydantic import Field

from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult, ScoredDimension, joined
from src.shared.domain.fields import Confidence

MacroEnvironment: TypeAlias = Literal["Favorable (有利)", "Neutral (中性)", "Unfavorable (不利)"]

_DIMENSIONS = 4


class MacroDimensionAnalysis(ScoredDimension):
    """One dimension of the environment, such as policy or liquidity."""


class MacroIntelligenceResultDTO(ExpertResult):
    """What the wider economy means for a stock."""

    macro_environment: MacroEnvironment = Field(description="The environment as a whole.")
    confidence_score: Confidence
    macro_summary: str = Field(description="Why the environment is judged this way.")
    dimension_analyses: list[MacroDimensionAnalysis] = Field(
        min_length=_DIMENSIONS,
        max_length=_DIMENSIONS,
        description=f"The dimensions of the environment; exactly {_DIMENSIONS}.",
    )
    key_opportunities: list[str] = Field(min_length=1, description="What could help; at least one.")
    key_risks: list[str] = Field(min_length=1, description="What could harm; at least one.")
    information_sources: list[str] = Field(min_length=1, description="Where the facts come from; at least one.")

    def opinion(self) -> ExpertOpinion:
        """The result in short."""
        return ExpertOpinion(
            signal=self.macro_environment,
            confidence=self.confidence_score,
            reasoning=joined(self.macro_summary, *self.key_opportunities),
            risk_warning=joined(*self.key_risks),
        )
