"""The dossier's daily closes as a line, with the levels of the ladder that lie near it."""

from __future__ import annotations

from dataclasses import dataclass

from examples.committee.domain.dossier import Dossier
from examples.committee.reports.ladder import Ladder, Level, spread

WIDTH = 1_000
"""Units of the drawing from the first day to the last: it is stretched to the page's width."""
_LEAST_HEIGHT = 200
_ROW = 17
"""Pixels that a level's text needs."""
_MARGIN = 12
"""Pixels above the highest price and below the lowest."""
_REACH = 0.25
"""How far beyond the closes a level is drawn, as a share of them; one farther away is on the ladder alone."""


@dataclass(frozen=True, slots=True)
class LineLevel:
    """A level beside the line.

    Attributes:
        level: as on the ladder.
        y: where it lies, in pixels from the top.
        text_y: where there is room for its text.
    """

    level: Level
    y: float
    text_y: float


@dataclass(frozen=True, slots=True)
class PriceLine:
    """The closes, the earliest first.

    Attributes:
        first: the first day.
        last: the last day.
        low: the lowest close.
        high: the highest close.
        close: the last one.
        points: the line: x in `WIDTH` units and y in pixels from the top, as SVG takes them.
        height: of the drawing in pixels.
        levels: highest first.
    """

    first: str
    last: str
    low: float
    high: float
    close: float
    points: str
    height: int
    levels: tuple[LineLevel, ...]


def price_line_of(dossier: Dossier, ladder: Ladder | None) -> PriceLine | None:
    """The line; None where there are not two days."""
    days = dossier.price_history or []
    closes = [day.close for day in days]
    if len(closes) < 2:  # noqa: PLR2004 - one day is no line
        return None
    low, high = min(closes), max(closes)
    near = [one for one in ladder.levels if low * (1 - _REACH) <= one.price <= high * (1 + _REACH)] if ladder else []
    height = max(_LEAST_HEIGHT, len(near) * _ROW + 2 * _MARGIN)
    prices = [low, high, *(one.price for one in near)]
    top, bottom = max(prices), min(prices)
    scale = (height - 2 * _MARGIN) / (top - bottom) if top > bottom else 0.0

    def y(price: float) -> float:
        return round(_MARGIN + (top - price) * scale, 1)

    step = WIDTH / (len(closes) - 1)
    points = " ".join(f"{round(place * step, 1)},{y(close)}" for place, close in enumerate(closes))
    places = [y(one.price) for one in near]
    texts = spread(places, _ROW, height - _MARGIN)
    levels = tuple(LineLevel(one, at, text) for one, at, text in zip(near, places, texts, strict=True))
    return PriceLine(str(days[0].date), str(days[-1].date), low, high, closes[-1], points, height, levels)
