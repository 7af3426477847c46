"""The judge: nothing is normalized, and no action is ever assumed."""

import pytest

from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.domain.rules import require_position_for_buy
from tests.modules.agent_contract import removed, replaced
from tests.modules.judge.contracts.verdict import CONTRACT as AGENT


@pytest.mark.parametrize("action", ["buy", "买入", "BUY/HOLD", "STRONG_BUY", "NEUTRAL", " HOLD"])
def test_action_in_another_spelling_or_vocabulary_is_an_error(action: str) -> None:
    assert AGENT.refusal(replaced(AGENT.answer, ("action",), action)) == {("action",)}


@pytest.mark.parametrize("position", [25, 1.01, "25%", "25", "四分之一"], ids=repr)
def test_position_that_is_no_fraction_is_an_error_and_never_scaled(position: object) -> None:
    assert AGENT.refusal(replaced(AGENT.answer, ("position_percent",), position)) == {("position_percent",)}


def test_buy_of_nothing_is_refused_by_the_rule_and_says_why() -> None:
    broken = require_position_for_buy(VerdictResult(**(AGENT.answer | {"action": "BUY", "position_percent": 0})))
    assert broken is not None
    assert (broken.rule, broken.loc) == ("buy_has_position", ("position_percent",))
    assert broken.message.zh.startswith("action 为 BUY 而 position_percent 为 0")


ANY_POSITION = [("BUY", 0), ("BUY", 0.01), ("BUY", 1), ("HOLD", 0), ("HOLD", 0.5), ("SELL", 0), ("SELL", 0.1)]


@pytest.mark.parametrize(("action", "position"), ANY_POSITION[1:])
def test_any_other_position_keeps_the_rule(action: str, position: float) -> None:
    answer = AGENT.answer | {"action": action, "position_percent": position}
    assert require_position_for_buy(VerdictResult(**answer)) is None


@pytest.mark.parametrize(("action", "position"), ANY_POSITION)
def test_parser_takes_any_position_with_any_action(action: str, position: float) -> None:
    answer = AGENT.answer | {"action": action, "position_percent": position}
    assert AGENT.read(answer).model_dump() == answer


def test_prices_written_as_numbers_keep_their_spelling() -> None:
    answer = AGENT.answer | {"stop_loss": 1580, "take_profit": 1900.5}
    result = AGENT.read(answer).model_dump()
    assert (result["stop_loss"], result["take_profit"]) == ("1580", "1900.5")


def test_warnings_and_reasoning_may_both_be_missing() -> None:
    answer = removed(removed(AGENT.answer, ("risk_warnings",)), ("reasoning",))
    assert AGENT.read(answer).model_dump() == AGENT.answer | {"risk_warnings": [], "reasoning": ""}


def test_results_do_not_share_an_empty_list() -> None:
    answer = removed(AGENT.answer, ("risk_warnings",))
    first, second = (AGENT.read(answer).model_dump()["risk_warnings"] for _ in range(2))
    assert first is not second
