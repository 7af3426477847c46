"""Technical indicators of daily bars, by the formulas that Chinese terminals show.

Every function takes the earliest value first and gives what holds on the last day, or None where there are too few
days. An indicator that remembers all days before it (RSI, MACD, KDJ, ADX, ATR) needs `WARM_UP` days, so that where the
series begins no longer matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import NamedTuple

from examples.committee.domain.ports.market_data import DailyBar

WARM_UP = 120
"""Days before an indicator with a memory is given."""


class Bands(NamedTuple):
    """Bollinger bands: the mean of n closes, and k population standard deviations around it."""

    upper: float
    middle: float
    lower: float


class Macd(NamedTuple):
    """DIF = EMA12 - EMA26; DEA = EMA9 of DIF; histogram = 2 x (DIF - DEA)."""

    dif: float
    dea: float
    histogram: float


class Kdj(NamedTuple):
    """RSV smoothed twice; J = 3K - 2D."""

    k: float
    d: float
    j: float


class Direction(NamedTuple):
    """Wilder's directional movement."""

    adx: float
    plus_di: float
    minus_di: float


def moving_average(values: Sequence[float], days: int) -> float | None:
    """The mean of the last days."""
    return fmean(values[-days:]) if len(values) >= days else None


def change(values: Sequence[float], days: int) -> float | None:
    """The last value against that of so many days before, percent."""
    return (values[-1] / values[-1 - days] - 1) * 100 if len(values) > days else None


def bollinger(closes: Sequence[float], days: int = 20, width: float = 2.0) -> Bands | None:
    """The bands around the mean of the last days."""
    middle = moving_average(closes, days)
    if middle is None:
        return None
    spread = width * pstdev(closes[-days:])
    return Bands(middle + spread, middle, middle - spread)


def rsi(closes: Sequence[float], days: int) -> float | None:
    """Wilder's relative strength: 100 x smoothed gains / (smoothed gains + smoothed losses); None if nothing moved."""
    if len(closes) <= WARM_UP:
        return None
    steps = [after - before for before, after in pairwise(closes)]
    gain = _wilder([max(step, 0.0) for step in steps], days)[-1]
    loss = _wilder([max(-step, 0.0) for step in steps], days)[-1]
    return 100 * gain / (gain + loss) if gain + loss > 0 else None


def macd(closes: Sequence[float]) -> Macd | None:
    """MACD(12, 26, 9)."""
    if len(closes) <= WARM_UP:
        return None
    difs = [fast - slow for fast, slow in zip(_ema(closes, 12), _ema(closes, 26), strict=True)]
    dif, dea = difs[-1], _ema(difs, 9)[-1]
    return Macd(dif, dea, 2 * (dif - dea))


def kdj(bars: Sequence[DailyBar], days: int = 9) -> Kdj | None:
    """KDJ(9, 3, 3), from 50; a day on which the range of nine days is nothing changes nothing."""
    if len(bars) <= WARM_UP:
        return None
    k = d = 50.0
    for end in range(days, len(bars) + 1):
        window = bars[end - days : end]
        low, high = min(bar.low for bar in window), max(bar.high for bar in window)
        if high > low:
            k += ((window[-1].close - low) / (high - low) * 100 - k) / 3
            d += (k - d) / 3
    return Kdj(k, d, 3 * k - 2 * d)


def average_true_range(bars: Sequence[DailyBar], days: int = 14) -> float | None:
    """Wilder's ATR."""
    return _wilder(_true_ranges(bars), days)[-1] if len(bars) > WARM_UP else None


def direction(bars: Sequence[DailyBar], days: int = 14) -> Direction | None:
    """ADX, +DI and -DI; None if the price did not move at all."""
    if len(bars) <= WARM_UP:
        return None
    plus, minus = [], []
    for before, after in pairwise(bars):
        up, down = after.high - before.high, before.low - after.low
        plus.append(up if up > down and up > 0 else 0.0)
        minus.append(down if down > up and down > 0 else 0.0)
    ranges = _wilder(_true_ranges(bars), days)
    if min(ranges) <= 0:
        return None
    plus_di = [100 * move / span for move, span in zip(_wilder(plus, days), ranges, strict=True)]
    minus_di = [100 * move / span for move, span in zip(_wilder(minus, days), ranges, strict=True)]
    strengths = [100 * abs(p - m) / (p + m) if p + m else 0.0 for p, m in zip(plus_di, minus_di, strict=True)]
    return Direction(_wilder(strengths, days)[-1], plus_di[-1], minus_di[-1])


def swings(bars: Sequence[DailyBar], side: int = 5) -> tuple[list[float], list[float]]:
    """Lows and highs that no day within `side` days before or after went beyond."""
    lows, highs = [], []
    for place in range(side, len(bars) - side):
        around = bars[place - side : place + side + 1]
        if bars[place].low == min(bar.low for bar in around):
            lows.append(bars[place].low)
        if bars[place].high == max(bar.high for bar in around):
            highs.append(bars[place].high)
    return lows, highs


def _true_ranges(bars: Sequence[DailyBar]) -> list[float]:
    return [max(after.high, before.close) - min(after.low, before.close) for before, after in pairwise(bars)]


def _wilder(values: Sequence[float], days: int) -> list[float]:
    """Smoothed with 1 / days, from the mean of the first days on."""
    smoothed = [fmean(values[:days])]
    for value in values[days:]:
        smoothed.append(smoothed[-1] + (value - smoothed[-1]) / days)
    return smoothed


def _ema(values: Sequence[float], days: int) -> list[float]:
    """Smoothed with 2 / (days + 1), from the first value on."""
    smoothed = [values[0]]
    for value in values[1:]:
        smoothed.append(smoothed[-1] + (value - smoothed[-1]) * 2 / (days + 1))
    return smoothed


def percentile(values: Sequence[float], value: float) -> float | None:
    """How many of the others are lower, in percent of them; None without others."""
    others = len(values) - 1
    return 100 * sum(one < value for one in values) / others if others > 0 else None


def graham_value(earnings: float, book_value: float) -> float | None:
    """The square root of 22.5 x earnings x book value per share; None where one of them is not above 0."""
    return math.sqrt(22.5 * earnings * book_value) if earnings > 0 and book_value > 0 else None
