"""What the judge decides on."""

from pydantic import BaseModel, Field

from src.shared.domain.fields import Confidence, Direction


class JudgeInput(BaseModel):
    """A debate's outcome, as the judge needs it. A thesis that is None was not made: its advocate failed."""

    symbol: str = Field(description="证券代码")
    direction: Direction = Field(description="辩论得出的方向")
    confidence: Confidence = Field(description="辩论结论的置信度，0 至 1")
    bull_thesis: str | None = Field(description="多头的核心论点")
    bear_thesis: str | None = Field(description="空头的核心论点")
    risk_factors: list[str] = Field(description="风险因素")
    key_disagreements: list[str] = Field(description="多空的主要分歧")
    conflict_resolution: str = Field(description="冲突消解的结论与理由")
