"""What the committee's judge decides on, and what a reader of its verdict is warned of."""

from __future__ import annotations

from pydantic import Field

from examples.committee.domain.market_facts import MarketFacts
from examples.committee.domain.price_rules import broken_price_rules
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.domain.rules import warnings_about
from src.shared.domain.rules import RuleViolation


class PricedJudgeInput(JudgeInput):
    """A debate's outcome and the prices that a verdict can rest on."""

    market: MarketFacts = Field(description="价格与价位")


def priced_warnings(verdict: VerdictResult, judge_input: PricedJudgeInput) -> tuple[RuleViolation, ...]:
    """What a reader of the verdict should be told of it and of its prices; empty where nothing is unusual."""
    return (*warnings_about(verdict, judge_input), *broken_price_rules(verdict, judge_input.market))
