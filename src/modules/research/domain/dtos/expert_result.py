"""What the experts' results have in common: each can be told in four fields to somebody who compares them."""

from __future__ import annotations

from abc import abstractmethod

from pydantic import BaseModel, Field

from src.shared.domain.agent_result import AgentResult
from src.shared.domain.fields import Confidence


class ExpertOpinion(BaseModel):
    """An expert's result in short, in the expert's own words."""

    signal: str = Field(description="What the expert concludes, in the terms of its own scale.")
    confidence: Confidence
    reasoning: str = Field(description="Why, and the facts it rests on.")
    risk_warning: str = Field(description="What would prove it wrong; empty when nothing was said.")


class ExpertResult(AgentResult):
    """Base of the experts' results."""

    @abstractmethod
    def opinion(self) -> ExpertOpinion:
        """The result in short. Nothing is judged anew: words are copied, numbers keep their units."""
        ...


def joined(*texts: str) -> str:
    """Several texts as one; blank ones are left out."""
    return "；".join(text.strip() for text in texts if text.strip())
