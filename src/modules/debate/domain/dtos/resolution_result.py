"""The conflict resolver's result."""

from pydantic import Field

from src.modules.debate.domain.dtos.risk_matrix import RiskItemDTO
from src.shared.domain.fields import AgentResult, Confidence, Direction


class ResolutionResult(AgentResult):
    """What remains of both cases when they are weighed against each other."""

    direction: Direction = Field(description="Direction that prevails.")
    confidence: Confidence
    bull_case_summary: str = Field(description="The case for the stock, as the resolver understood it.")
    bear_case_summary: str = Field(description="The case against the stock, as the resolver understood it.")
    risk_matrix: list[RiskItemDTO] = Field(description="The risks that remain, one row each; may be empty.")
    key_disagreements: list[str] = Field(description="What the two sides do not agree on; may be empty.")
    conflict_resolution: str = Field(description="How the disagreement was settled, and why.")
