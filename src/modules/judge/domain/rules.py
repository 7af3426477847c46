"""The judge context's rules, and what follows when an answer breaks one.

| rule | consequence |
| --- | --- |
| a BUY has a position above 0 | refuse: the judge is asked again, then fails |
| the action does not go against the debate | warn: a judge may overrule, and the reader is told |

The parser takes every verdict of the right form: the adapter, which asks, refuses what nobody can carry out.
"""

from __future__ import annotations

from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.shared.domain.language import Phrase
from src.shared.domain.rules import RuleViolation

BUY_HAS_POSITION = "buy_has_position"
KEEPS_TO_THE_DEBATE = "keeps_to_the_debate"

_AGAINST = {("BUY", "BEARISH"), ("SELL", "BULLISH")}


def require_position_for_buy(verdict: VerdictResult) -> RuleViolation | None:
    """A BUY of nothing cannot stand: whether to buy or not is what the verdict is for, and it says both."""
    if verdict.action != "BUY" or verdict.position_percent > 0:
        return None
    message = Phrase(
        "the action is BUY and position_percent is 0: a BUY needs a position above 0, else it is HOLD or SELL"
    )
    return RuleViolation(BUY_HAS_POSITION, "position_percent", message)


def warnings_about(verdict: VerdictResult, judge_input: JudgeInput) -> tuple[RuleViolation, ...]:
    """What a reader of the verdict should be told; empty where nothing is unusual."""
    if (verdict.action, judge_input.direction) not in _AGAINST:
        return ()
    message = Phrase(
        "the verdict, {action}, goes against the debate, {direction}",
        action=verdict.action,
        direction=judge_input.direction,
    )
    return (RuleViolation(KEEPS_TO_THE_DEBATE, "action", message),)
