"""The judge context's interface: what others may import from it."""

from src.modules.judge.application.services.judge_service import JudgeService
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.market_facts import MarketFacts
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.judge.domain.plan_prices import PlanPrices, plan_prices, prices_in
from src.modules.judge.domain.rules import warnings_about

__all__ = [
    "JudgeInput",
    "JudgeService",
    "MarketFacts",
    "PlanPrices",
    "VerdictDTO",
    "plan_prices",
    "prices_in",
    "warnings_about",
]
