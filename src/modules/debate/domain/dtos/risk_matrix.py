"""The risk matrix of a debate."""

from pydantic import BaseModel, Field

from src.shared.domain.fields import QuantityText


class RiskItemDTO(BaseModel):
    """One row of the matrix: a risk, how likely, how bad, and what can be done."""

    risk: str = Field(description="What may go wrong.")
    probability: QuantityText = Field(description="How likely it is, in words or as the number the agent wrote.")
    impact: QuantityText = Field(description="How bad it would be, in words or as the number the agent wrote.")
    mitigation: str = Field(description="What limits the damage.")
