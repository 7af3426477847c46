"""The rules of a plan's prices: what is warned of, what is not, and in which words."""

import pytest

from examples.committee.domain.market_facts import MarketFacts
from examples.committee.domain.price_rules import broken_price_rules
from src.modules.judge.domain.dtos.verdict_result import TradeAction, VerdictResult
from src.shared.domain.language import Language
from tests.modules.judge.contracts.verdict import CONTRACT

MARKET = MarketFacts(
    currency="CNY",
    price=38.62,
    support=[36.9, 34.5],
    resistance=[39.9, 42.8],
    value_low="30.7 元：PEG 取 1",
    value_high="44.3 元：38.2 倍 × 每股收益 1.16 元",
    other_prices={"60 日均线": 34.48},
).with_limits("688999.SH", "临溪传感")
PLAN = {"entry_strategy": "36.9 元附近分批买入", "stop_loss": "34.5", "take_profit": "42.8 元", "reasoning": ""}


def broken(action: TradeAction = "BUY", market: MarketFacts = MARKET, **plan: str) -> list[str]:
    verdict = VerdictResult(**(CONTRACT.answer | {"narrative_report": "", "action": action} | PLAN | plan))
    return [found.rule for found in broken_price_rules(verdict, market)]


def test_plan_whose_prices_agree_is_not_warned_of() -> None:
    assert broken() == []


@pytest.mark.parametrize("stop", ["36.9 元", "39.9 元"])
def test_stop_that_does_not_lie_below_the_entry_is_warned_of(stop: str) -> None:
    assert broken(stop_loss=stop) == ["stop_below_entry"]


@pytest.mark.parametrize("target", ["36.9 元", "34.5 元"])
def test_target_that_does_not_lie_above_the_entry_is_warned_of(target: str) -> None:
    assert broken(take_profit=target) == ["target_above_entry"]


def test_stop_in_two_parts_is_measured_by_the_lower_one() -> None:
    assert broken(stop_loss="跌破 36.9 元减半，跌破 34.5 元清仓") == []


def test_entry_in_two_parts_is_measured_by_the_lower_one_for_the_stop_and_the_higher_one_for_the_target() -> None:
    assert broken(entry_strategy="36.9 元一批，39.9 元一批") == []
    assert broken(entry_strategy="36.9 元一批，39.9 元一批", take_profit="38.62 元") == ["target_above_entry"]


def test_entry_without_a_price_is_at_the_last_price() -> None:
    assert broken(entry_strategy="现价买入", stop_loss="39.9 元") == ["stop_below_entry"]
    assert broken(entry_strategy="现价买入", take_profit="36.9 元") == ["target_above_entry"]


@pytest.mark.parametrize("action", ["SELL", "HOLD"])
def test_order_of_the_prices_is_a_rule_of_a_buy_alone(action: TradeAction) -> None:
    assert broken(action, stop_loss="39.9 元", take_profit="34.5 元") == []


@pytest.mark.parametrize(("entry", "rules"), [("30.9 元", []), ("46.34 元", []), ("46.35 元，即 46.35", ["limits"])])
def test_entry_outside_the_next_days_limits_is_warned_of(entry: str, rules: list[str]) -> None:
    assert broken(entry_strategy=entry, stop_loss="跌破支撑", take_profit="视情况") == [
        "entry_within_daily_limits" for _ in rules
    ]


def test_entry_of_which_one_part_can_be_filled_is_not_warned_of() -> None:
    assert broken(entry_strategy="36.9 元一批；50 元一批，即 50 元", take_profit="55 元，即 55") == []


def test_without_limits_no_entry_is_outside_them() -> None:
    free = MARKET.model_copy(update={"lower_limit": None, "upper_limit": None})
    assert broken(market=free, entry_strategy="50 元，即突破价", stop_loss="34.5 元", take_profit="视情况") == []


@pytest.mark.parametrize("stop", ["33.3 元", "33.3", "跌破 33.3 元清仓"])
@pytest.mark.parametrize("action", ["BUY", "SELL", "HOLD"])
def test_price_that_was_not_given_is_warned_of(stop: str, action: TradeAction) -> None:
    assert broken(action, stop_loss=stop) == ["prices_from_dossier"]


@pytest.mark.parametrize(
    "stop",
    ["35.5 元（38.62 × 0.92）", "较现价低 8%，即 35.5 元", "35.5 元，按 38.62 减 2.8 倍 ATR 推算"],
)
def test_price_that_is_derived_and_says_so_is_not_warned_of(stop: str) -> None:
    assert broken(stop_loss=stop) == []


def test_derivation_may_stand_in_the_reasons() -> None:
    assert broken(stop_loss="35.5 元", reasoning="控制亏损。止损 35.5 = 38.62 × 0.92。") == []
    assert broken(stop_loss="35.5 元", reasoning="控制亏损。38.62 × 0.92 = 35.53。") == ["prices_from_dossier"]


@pytest.mark.parametrize("stop", ["34.5 元", "34.48 元", "30.7 元", "30.9 元"])
def test_price_of_the_dossier_the_experts_or_the_limits_is_not_warned_of(stop: str) -> None:
    assert broken(stop_loss=stop) == []


def test_price_rounded_to_the_digits_that_are_written_is_the_price_that_was_given() -> None:
    only = MarketFacts(currency="CNY", price=38.62, other_prices={"60 日均线": 34.48})
    assert broken(market=only, entry_strategy="现价", take_profit="视情况", stop_loss="34.5 元") == []
    assert broken(market=only, entry_strategy="现价", take_profit="视情况", stop_loss="34.4 元") == [
        "prices_from_dossier"
    ]


def test_price_far_from_the_stocks_is_warned_of_and_not_compared() -> None:
    assert broken(stop_loss="1580 元") == ["prices_from_dossier"]


def test_where_no_price_was_given_every_price_is_made_up() -> None:
    nothing = MarketFacts(currency="CNY")
    assert broken(market=nothing) == ["prices_from_dossier"]
    assert broken(market=nothing, entry_strategy="突破后", stop_loss="跌 8%", take_profit="涨 20%") == []


def test_unknown_price_is_no_limit() -> None:
    assert MarketFacts(currency="CNY").with_limits("688999.SH", "临溪传感").upper_limit is None


def test_warning_names_the_prices_and_the_field_in_both_languages() -> None:
    verdict = VerdictResult(**(CONTRACT.answer | PLAN | {"stop_loss": "39.9 元"}))
    (found,) = broken_price_rules(verdict, MARKET)
    assert found.field == "stop_loss"
    assert found.message.text(Language.ZH) == "止损 39.9 元不低于进场 36.9 元"
    assert found.message.text(Language.EN) == "the stop, 39.9, does not lie below the entry, 36.9"
