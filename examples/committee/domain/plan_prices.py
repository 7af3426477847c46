"""The prices that a verdict's plan names: read from its texts, never guessed.

A price is a number with 元 behind it or ¥ before it, one that is joined to such a number (`36.5 至 37 元`), or a number
that is the whole text. Amounts (亿元, 万元), percentages, days and multiples are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from src.modules.judge.domain.dtos.verdict_result import VerdictResult

_NUMBER = re.compile(r"(?<![\d.,])\d[\d,]{0,14}(?:\.\d{1,6})?(?![\d.])")
_UNIT = re.compile(r"\s{0,3}元")
_JOINT = re.compile(r"\s{0,3}(?:[-–—~～至到、和或/])\s{0,3}")
_SIGN = re.compile(r"[¥￥]\s{0,3}$")
_ALONE = re.compile(r"\s{0,3}(\d[\d,]{0,14}(?:\.\d{1,6})?)\s{0,3}")
_SIGN_REACH = 4
_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")
_TIMES_AT_MOST = 5
"""A price of the stock is at most so many times the last one, or that part of it: an earning per share is none."""


@dataclass(frozen=True, slots=True)
class PlanPrices:
    """The prices of a plan, each in the order of its text; empty where none is named."""

    entry: tuple[float, ...]
    stop: tuple[float, ...]
    target: tuple[float, ...]

    @property
    def all(self) -> tuple[float, ...]:
        """All of them."""
        return (*self.entry, *self.stop, *self.target)


def plan_prices(verdict: VerdictResult, price: float | None = None) -> PlanPrices:
    """The prices of a verdict's entry, stop and target.

    Args:
        verdict: the verdict.
        price: the last price of the stock: what is far from it is not a price of the stock.
    """
    texts = (verdict.entry_strategy, verdict.stop_loss, verdict.take_profit)
    entry, stop, target = (tuple(found for found in prices_in(text) if _is_near(found, price)) for text in texts)
    return PlanPrices(entry, stop, target)


def prices_in(text: str) -> tuple[float, ...]:
    """The prices that a text names, in its order."""
    text = text.translate(_DIGITS)
    if alone := _ALONE.fullmatch(text):
        return (_value(alone[1]),)
    return tuple(_priced(text))


def numbers_in(text: str) -> tuple[float, ...]:
    """All numbers of a text, whatever they count."""
    return tuple(_value(match[0]) for match in _NUMBER.finditer(text.translate(_DIGITS)))


def _priced(text: str) -> Iterator[float]:
    joined: list[float] = []
    end = 0
    for match in _NUMBER.finditer(text):
        if joined and not _JOINT.fullmatch(text, end, match.start()):
            joined.clear()
        joined.append(_value(match[0]))
        end = match.end()
        if _UNIT.match(text, end) or _SIGN.search(text, max(0, match.start() - _SIGN_REACH), match.start()):
            yield from joined
            joined.clear()


def _value(digits: str) -> float:
    return float(digits.replace(",", ""))


def _is_near(found: float, price: float | None) -> bool:
    return price is None or price / _TIMES_AT_MOST <= found <= price * _TIMES_AT_MOST
