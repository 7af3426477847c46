"""The dossier's prices and indicators, from daily bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, Final

from examples.committee.application.dossier.rounding import SHARES_10_000, percent, price
from examples.committee.domain import indicators
from examples.committee.domain.ports.market_data import DailyBar
from examples.committee.domain.price_series import AdjustedBar

AVERAGES: Final = (5, 10, 20, 60, 120, 250)
YEAR: Final = timedelta(weeks=52)
SWING_DAYS: Final = 120
"""How far back highs and lows are looked for as support and resistance."""
MOST_LEVELS: Final = 3
NEAREST: Final = 0.01
"""Levels within this part of each other are one; the nearer to the price stays."""
_VOLUME_DAYS: Final = 5
_LEAST_FACTOR: Final = 0.95
"""Below it new shares came between two days, and their volumes cannot be compared."""


def technical_section(series: Sequence[AdjustedBar]) -> dict[str, Any]:
    """What the technical analyst is told.

    Args:
        series: adjusted bars, the earliest first, at least one.
    """
    bars = [one.bar for one in series]
    closes, last = [bar.close for bar in bars], bars[-1]
    averages = {f"ma{days}": indicators.moving_average(closes, days) for days in AVERAGES}
    year = _year(bars)
    bands = indicators.bollinger(closes)
    levels = [*averages.values(), *(bands or ()), *year, *_swings(bars)]
    known = [level for level in levels if level is not None]
    found = {
        **{name: price(getattr(last, name)) for name in ("open", "high", "low", "close")},
        "change_1d": percent(_day_change(last)),
        **{f"change_{days}d": percent(indicators.change(closes, days)) for days in (20, 60)},
        "high_52w": price(year[0]),
        "low_52w": price(year[1]),
        "volume": None if last.volume is None else round(last.volume / SHARES_10_000, 4),
        "turnover_rate": percent(last.turnover_rate),
        "volume_ratio": percent(_volume_ratio(series)),
        **{name: price(value) for name, value in averages.items()},
        **_indicators(bars, closes),
        **{f"bollinger_{name}": price(value) for name, value in (bands._asdict() if bands else {}).items()},
        "support_levels": _nearest((level for level in known if level < last.close), last.close),
        "resistance_levels": _nearest((level for level in known if level > last.close), last.close),
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def _indicators(bars: Sequence[DailyBar], closes: Sequence[float]) -> dict[str, float | None]:
    macd, kdj, direction = indicators.macd(closes), indicators.kdj(bars), indicators.direction(bars)
    return {
        "rsi6": percent(indicators.rsi(closes, 6)),
        "rsi14": percent(indicators.rsi(closes, 14)),
        **{f"macd_{name}": price(value) for name, value in (macd._asdict() if macd else {}).items()},
        **{f"kdj_{name}": percent(value) for name, value in (kdj._asdict() if kdj else {}).items()},
        **(_named(direction) if direction else {}),
        "atr14": price(indicators.average_true_range(bars)),
    }


def _named(direction: indicators.Direction) -> dict[str, float | None]:
    return {f"{name}14": percent(value) for name, value in direction._asdict().items()}


def _day_change(last: DailyBar) -> float | None:
    return (last.close / last.reference - 1) * 100 if last.reference else None


def _year(bars: Sequence[DailyBar]) -> tuple[float | None, float | None]:
    """High and low of 52 weeks; nothing where the bars begin later."""
    first = bars[-1].day - YEAR
    if bars[0].day > first:
        return None, None
    year = [bar for bar in bars if bar.day > first]
    return max(bar.high for bar in year), min(bar.low for bar in year)


def _volume_ratio(series: Sequence[AdjustedBar]) -> float | None:
    """The day's volume against the mean of the five days before it."""
    window = series[-_VOLUME_DAYS - 1 :]
    volumes = [one.bar.volume for one in window if one.bar.volume and one.factor > _LEAST_FACTOR]
    if len(volumes) <= _VOLUME_DAYS:
        return None
    return volumes[-1] / (sum(volumes[:-1]) / _VOLUME_DAYS)


def _swings(bars: Sequence[DailyBar]) -> list[float]:
    lows, highs = indicators.swings(bars[-SWING_DAYS:])
    return [*lows, *highs]


def _nearest(levels: Iterable[float], close: float) -> list[float]:
    """The levels nearest to the price, without those that are nearly the same."""
    kept: list[float] = []
    for level in sorted(levels, key=lambda one: abs(one - close)):
        if len(kept) < MOST_LEVELS and all(abs(level / other - 1) > NEAREST for other in kept):
            kept.append(level)
    return [round(level, 2) for level in kept if level > 0]
