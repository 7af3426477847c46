"""What the model of the page is asked for."""

from pydantic import BaseModel, Field


class Finding(BaseModel):
    """One thing that was found."""

    point: str
    weight: int = Field(ge=1, le=5)


class Report(BaseModel):
    """A judgement of a product, with its reasons."""

    title: str
    score: int = Field(ge=0, le=100)
    summary: str
    findings: list[Finding]
