"""The rules that adapters apply to what a model answers, and what a reader of a verdict is warned of."""

from typing import Any

import pytest

from src.modules.debate.domain.rules import require_bearish, require_bullish
from src.modules.judge.domain.dtos.verdict_result import TradeAction, VerdictResult
from src.modules.judge.domain.rules import require_position_for_buy, warnings_about
from src.modules.research.domain.rules import require_support_below_resistance
from src.shared.domain.fields import Direction
from tests.modules.all_contracts import CONTRACTS
from tests.modules.inputs import JUDGE

ANSWERS = {contract.agent: contract for contract in CONTRACTS}
LEVELS = "key_technical_levels"
KEPT: list[tuple[Any, str, dict[str, Any]]] = [
    (require_support_below_resistance, "technical_analyst", {LEVELS: {"support": 9.9, "resistance": 10}}),
    (require_bullish, "bull_advocate", {"direction": "BULLISH"}),
    (require_bearish, "bear_advocate", {"direction": "BEARISH"}),
    *(
        (require_position_for_buy, "verdict", {"action": action, "position_percent": position})
        for action, position in [("BUY", 0.01), ("BUY", 1), ("HOLD", 0), ("HOLD", 0.5), ("SELL", 0), ("SELL", 0.1)]
    ),
]
BROKEN: list[tuple[Any, str, dict[str, Any], str, str]] = [
    *(
        (
            require_support_below_resistance,
            "technical_analyst",
            {LEVELS: {"support": support, "resistance": 10}},
            f"{LEVELS}.support",
            f"支撑位 {support}.0 不低于压力位 10.0",
        )
        for support in (10, 11)
    ),
    *((require_bullish, "bull_advocate", {"direction": one}, "direction", "BULLISH") for one in ("BEARISH", "NEUTRAL")),
    *((require_bearish, "bear_advocate", {"direction": one}, "direction", "BEARISH") for one in ("BULLISH", "NEUTRAL")),
    (
        require_position_for_buy,
        "verdict",
        {"action": "BUY", "position_percent": 0},
        "position_percent",
        "action 为 BUY 而 position_percent 为 0",
    ),
]


@pytest.mark.parametrize(("rule", "agent", "changes"), KEPT)
def test_answer_that_keeps_the_rule_stands(rule: Any, agent: str, changes: dict[str, Any]) -> None:  # noqa: ANN401 - of any answer
    assert rule(ANSWERS[agent].dto(**(ANSWERS[agent].answer | changes))) is None


@pytest.mark.parametrize(("rule", "agent", "changes", "place", "words"), BROKEN)
def test_answer_that_breaks_the_rule_is_refused_and_told_why(
    rule: Any,  # noqa: ANN401 - of any answer
    agent: str,
    changes: dict[str, Any],
    place: str,
    words: str,
) -> None:
    broken = rule(ANSWERS[agent].dto(**(ANSWERS[agent].answer | changes)))
    assert (".".join(broken.loc), words in broken.message.zh) == (place, True)


@pytest.mark.parametrize(
    ("action", "direction", "warned"),
    [
        ("BUY", "BEARISH", ["裁决 BUY 与辩论结论 BEARISH 方向相反"]),
        ("SELL", "BULLISH", ["裁决 SELL 与辩论结论 BULLISH 方向相反"]),
        ("BUY", "BULLISH", []),
        ("SELL", "BEARISH", []),
        ("HOLD", "BULLISH", []),
        ("BUY", "NEUTRAL", []),
    ],
)
def test_verdict_against_the_debate_is_warned_of(action: TradeAction, direction: Direction, warned: list[str]) -> None:
    verdict = VerdictResult(**(ANSWERS["verdict"].answer | {"action": action}))
    found = warnings_about(verdict, JUDGE.model_copy(update={"direction": direction}))
    assert [warning.message.zh for warning in found] == warned
