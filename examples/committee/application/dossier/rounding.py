"""How many digits the figures of a dossier have, and their units."""

from __future__ import annotations

from typing import Final

YUAN_100_MILLION: Final = 1e8
"""Yuan, or shares, in one 亿."""
SHARES_10_000: Final = 1e4
"""Shares in one 万股."""


def price(value: float | None) -> float | None:
    """Yuan, or points of an indicator, to the third digit."""
    return None if value is None else round(value, 3)


def percent(value: float | None) -> float | None:
    """A rate, or times, to the second digit."""
    return None if value is None else round(value, 2)


def hundred_millions(value: float | None) -> float | None:
    """Yuan or shares in 亿, to ten thousand of them."""
    return None if value is None else round(value / YUAN_100_MILLION, 4)


def ratio(part: float | None, whole: float | None) -> float | None:
    """One over the other; None where one is missing or there is nothing to divide by."""
    return part / whole if part is not None and whole else None
