"""The days of a share's trade, checked: what contradicts itself was read wrongly, and is not used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from examples.committee.application.dossier.notes import Notes
from examples.committee.domain.exceptions import DataNotOfferedError
from examples.committee.domain.ports.market_data import DailyBar
from src.shared.domain.language import Message

_NEAR = 0.01
"""How far the mean price of a day may lie beyond its range: amounts are rounded."""
_CHECKED = 20
"""Days, the latest, whose volumes are compared with their amounts: more are not used."""
_LOT = 100
"""Shares in a 手; a volume may be rounded to it."""


def checked_bars(bars: Iterable[DailyBar], last: date, source: str, notes: Notes) -> list[DailyBar]:
    """The bars up to a day, the earliest first.

    Raises:
        DataNotOfferedError: prices contradict each other: the columns are not those expected.
    """
    by_day = {bar.day: bar for bar in bars if bar.day <= last}
    found = [by_day[day] for day in sorted(by_day)]
    for bar in found:
        if not 0 < bar.low <= min(bar.open, bar.close) <= max(bar.open, bar.close) <= bar.high:
            zh = f"{source} 在 {bar.day} 的开高低收互相矛盾，列的含义可能已改变"
            en = f"the prices of {source} on {bar.day} contradict each other: its columns may have changed"
            raise DataNotOfferedError(
                Message.glossed(zh, en, "prices contradict each other").text(), {"source": source}
            )
    if all(map(_units_fit, found[-_CHECKED:])):
        return found
    notes.missing(
        Message("成交量", "volume"),
        Message(
            f"{source} 的成交额与成交量不符，单位可能已改变",
            f"{source}: amount and volume do not fit, units may have changed",
        ),
    )
    return [replace(bar, volume=None, amount=None) for bar in found]


def _units_fit(bar: DailyBar) -> bool:
    """Whether amount over volume is a price of the day, as far as both are known."""
    if not bar.volume or not bar.amount:
        return True
    mean, margin = bar.amount / bar.volume, _NEAR + _LOT / bar.volume
    return bar.low * (1 - margin) <= mean <= bar.high * (1 + margin)
