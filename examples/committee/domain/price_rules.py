"""The rules of a plan's prices. A broken one is a warning: the texts are a person's to judge, and the verdict stands.

| rule | what it says |
| --- | --- |
| `stop_below_entry` | a BUY's lowest stop lies below its lowest entry |
| `target_above_entry` | a BUY's highest target lies above its highest entry |
| `entry_within_daily_limits` | a BUY can be carried out within the next day's limits (涨跌停) |
| `prices_from_dossier` | every price was given to the judge, or a text says how it was worked out |

Where a BUY names no entry, the last price is taken. A price that is rounded in the plan is the price that was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from examples.committee.domain.market_facts import MarketFacts
from examples.committee.domain.plan_prices import PlanPrices, numbers_in, plan_prices, prices_in
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.shared.domain.language import Message
from src.shared.domain.rules import RuleViolation

STOP_BELOW_ENTRY = "stop_below_entry"
TARGET_ABOVE_ENTRY = "target_above_entry"
ENTRY_WITHIN_DAILY_LIMITS = "entry_within_daily_limits"
PRICES_FROM_DOSSIER = "prices_from_dossier"

_DERIVED = re.compile(r"[×✕*÷/=＝≈]|倍|即|较|相当于|按|推算|测算|折算|上浮|下浮|ATR|减去|加上")
"""What a sentence has that says how a number was worked out."""
_SENTENCE = re.compile(r"[。；;\n]")


def broken_price_rules(verdict: VerdictResult, market: MarketFacts) -> Iterator[RuleViolation]:
    """What is wrong with the prices of a plan."""
    plan = plan_prices(verdict, market.price)
    if verdict.action == "BUY":
        entry = plan.entry or (() if market.price is None else (market.price,))
        yield from _stop(plan, entry)
        yield from _target(plan, entry)
        yield from _limits(plan, market)
    yield from _unknown(verdict, market)


def _stop(plan: PlanPrices, entry: tuple[float, ...]) -> Iterator[RuleViolation]:
    if not entry or not plan.stop or min(plan.stop) < min(entry):
        return
    stop, start = f"{min(plan.stop):g}", f"{min(entry):g}"
    zh = f"止损 {stop} 元不低于进场 {start} 元"
    en = f"the stop, {stop}, does not lie below the entry, {start}"
    yield _broken(STOP_BELOW_ENTRY, "stop_loss", zh, en, "the stop does not lie below the entry")


def _target(plan: PlanPrices, entry: tuple[float, ...]) -> Iterator[RuleViolation]:
    if not entry or not plan.target or max(plan.target) > max(entry):
        return
    target, start = f"{max(plan.target):g}", f"{max(entry):g}"
    zh = f"止盈 {target} 元不高于进场 {start} 元"
    en = f"the target, {target}, does not lie above the entry, {start}"
    yield _broken(TARGET_ABOVE_ENTRY, "take_profit", zh, en, "the target does not lie above the entry")


def _limits(plan: PlanPrices, market: MarketFacts) -> Iterator[RuleViolation]:
    lower, upper = market.lower_limit, market.upper_limit
    if lower is None or upper is None or not plan.entry or any(lower <= price <= upper for price in plan.entry):
        return
    zh = f"进场价 {_listed(plan.entry)} 元不在下一交易日的涨跌停价 {lower:g} 至 {upper:g} 元之内，当日不能成交"
    entry, limits = _listed(plan.entry, ", "), f"{lower:g} to {upper:g}"
    en = f"the entry, {entry}, lies outside the next day's limits, {limits}: it cannot be filled that day"
    gloss = "the entry lies outside the next day's price limits"
    yield _broken(ENTRY_WITHIN_DAILY_LIMITS, "entry_strategy", zh, en, gloss)


def _unknown(verdict: VerdictResult, market: MarketFacts) -> Iterator[RuleViolation]:
    named = plan_prices(verdict).all
    given = (*market.prices, *prices_in(market.value_low or ""), *prices_in(market.value_high or ""))
    derived = set(_derived(verdict))
    unknown = [price for price in dict.fromkeys(named) if price not in derived and not _is_given(price, given)]
    if not unknown:
        return
    zh = f"价格 {_listed(unknown)} 元不在资料中，也没有写明怎样得出"
    en = f"the price {_listed(unknown, ', ')} is not in the dossier, and nothing says how it was worked out"
    yield _broken(PRICES_FROM_DOSSIER, "reasoning", zh, en, "a price is neither in the dossier nor derived")


def _derived(verdict: VerdictResult) -> Iterator[float]:
    """The numbers of all sentences that say how a number was worked out."""
    plan = (verdict.entry_strategy, verdict.stop_loss, verdict.take_profit)
    for text in (*plan, verdict.reasoning, verdict.narrative_report):
        for sentence in _SENTENCE.split(text):
            if _DERIVED.search(sentence):
                yield from numbers_in(sentence)


def _is_given(price: float, given: Iterable[float]) -> bool:
    """Whether a price is one of those, rounded to as many digits as it is written with."""
    digits = len(f"{price:.6f}".rstrip("0").partition(".")[2])
    return any(round(known, digits) == price for known in given)


def _listed(prices: Iterable[float], separator: str = "、") -> str:
    return separator.join(f"{price:g}" for price in prices)


def _broken(rule: str, field: str, zh: str, en: str, gloss: str) -> RuleViolation:
    return RuleViolation(rule, field, Message.glossed(zh, en, gloss))
