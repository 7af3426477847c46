"""What a debate has: both arguments, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.risk_matrix import RiskItemDTO
from src.shared.domain.exceptions import AppException
from src.shared.domain.fields import Confidence, Direction


class DebateOutcomeDTO(BaseModel):
    """The cases as their advocates made them, and how the conflict between them was settled."""

    symbol: str = Field(description="The stock.")
    direction: Direction = Field(description="Direction that prevails.")
    confidence: Confidence
    bull_case: BullArgument | None = Field(description="The case for the stock, whole; null where there is none.")
    bear_case: BearArgument | None = Field(description="The case against the stock, whole; null where there is none.")
    missing_cases: dict[str, str] = Field(
        default_factory=dict, description="Advocate → why there is no case; empty where both argued."
    )
    risk_matrix: list[RiskItemDTO] = Field(description="The risks that remain, one row each; may be empty.")
    key_disagreements: list[str] = Field(description="What the two sides do not agree on; may be empty.")
    conflict_resolution: str = Field(description="How the disagreement was settled, and why.")


@dataclass(frozen=True, slots=True)
class DebateArguments:
    """What the advocates came to; one of the two cases is always there.

    Attributes:
        bull: the case for the stock; None where its advocate failed.
        bear: the case against it; None where its advocate failed.
        failures: advocate → why there is no case.
    """

    bull: BullArgument | None
    bear: BearArgument | None
    failures: Mapping[str, AppException] = field(default_factory=dict)
