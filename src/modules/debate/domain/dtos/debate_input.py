"""What a debate starts from."""

from pydantic import BaseModel, Field

from src.shared.domain.fields import Confidence


class ExpertSummary(BaseModel):
    """One expert's view in short."""

    signal: str = Field(description="结论，用该专家自己的等级表述")
    confidence: Confidence = Field(description="置信度，0 至 1")
    reasoning: str = Field(description="理由与依据")
    risk_warning: str = Field(default="", description="风险提示；空文字表示没有提出")


class DebateInput(BaseModel):
    """A stock and what the experts think of it."""

    symbol: str = Field(description="证券代码")
    expert_summaries: dict[str, ExpertSummary] = Field(description="专家名称 → 该专家的结论")
    missing_experts: dict[str, str] = Field(
        default_factory=dict, description="专家名称 → 没有结论的原因；这些维度是未知的，不是中性的"
    )
