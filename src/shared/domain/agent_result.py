"""What the results of all agents have in common."""

from pydantic import BaseModel, Field


class AgentResult(BaseModel):
    """Base of the agents' results. Keys a model writes beyond the fields are ignored."""

    narrative_report: str = Field(
        default="", description="The whole analysis as prose for a reader; empty when the agent wrote none."
    )
