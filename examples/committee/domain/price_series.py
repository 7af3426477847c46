"""Prices before and after a dividend, made comparable without anything that was not known on the last day.

The last day's prices stay as they were traded. Each day before is multiplied by what the exchange's reference says of
the days between: the reference of a day over the close before it, which is 1 unless the share went ex on that day.
Series that vendors adjust (前复权) hold dividends paid after the day asked for; this one cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from examples.committee.domain.ports.market_data import DailyBar, Dividend


@dataclass(frozen=True, slots=True)
class AdjustedBar:
    """One day, with prices as comparable with the last day's.

    Attributes:
        bar: with adjusted prices; volume and amount are as traded.
        factor: what the prices were multiplied by.
    """

    bar: DailyBar
    factor: float


def adjusted(bars: Sequence[DailyBar]) -> list[AdjustedBar]:
    """Adjust bars.

    Args:
        bars: the earliest first, each day once.

    Returns:
        The earliest first; days before one whose reference is not known, or no price, are left out.
    """
    found: list[AdjustedBar] = []
    factor = 1.0
    for place in range(len(bars) - 1, -1, -1):
        found.append(AdjustedBar(_times(bars[place], factor), factor))
        reference = bars[place].reference
        if reference is None or reference <= 0 or place == 0:
            break
        factor *= reference / bars[place - 1].close
    return found[::-1]


def _times(bar: DailyBar, factor: float) -> DailyBar:
    prices = {name: getattr(bar, name) * factor for name in ("open", "high", "low", "close")}
    return replace(bar, **prices)


def reference_price(close_before: float, distributions: Iterable[Dividend]) -> float:
    """The close of the day before, less what the share goes without from now on, in whole cents (分).

    (close − cash) / (1 + new shares), as the exchanges work it out; rights issues are not in it.
    """
    price = close_before
    for distribution in distributions:
        price = (price - distribution.cash) / (1 + distribution.new_shares)
    return round(price, 2)
