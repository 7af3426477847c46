"""The verdict on one stock."""

from pydantic import Field

from src.modules.judge.domain.dtos.verdict_result import VerdictResult


class VerdictDTO(VerdictResult):
    """The judge's result and the stock it is about."""

    symbol: str = Field(description="The stock.")
