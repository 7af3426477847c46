"""Price, support, resistance, value range, stop and target on one scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from src.committee.application.result import CommitteeResult
from src.committee.domain.dossier import Dossier
from src.entrypoints.reports.labels import Tone, said
from src.entrypoints.reports.text import number
from src.modules.judge.application.public import plan_prices, prices_in
from src.modules.research.application.public import PriceView, price_view

_MOST_OF_A_KIND = 4
"""Levels of one kind that are drawn: the first, which are the nearest where a dossier lists them."""
_FARTHEST = 4.0
"""A level farther from the price than this factor is named beside the drawing: it would press the others together."""
_ROW = 48
"""Pixels that a level's two lines of text need."""
_MARGIN = 24
"""Pixels above the highest level and below the lowest."""


@dataclass(frozen=True, slots=True)
class Level:
    """One price on the ladder.

    Attributes:
        price: in the currency of the stock.
        names: what it is, such as support and stop, joined.
        change: from the current price, as a percentage with its sign; empty where that is not known.
        tone: `price`, or which way it counts.
        y: where it lies, in pixels from the top.
        text_y: where there is room for its text.
    """

    price: float
    names: str
    change: str
    tone: str
    y: float
    text_y: float


@dataclass(frozen=True, slots=True)
class Ladder:
    """All levels, highest first.

    Attributes:
        height: of the drawing in pixels.
        band: top and height of the value range in pixels; None where no range is known.
        outside: levels that are too far away to be drawn, in words.
    """

    levels: tuple[Level, ...]
    height: float
    band: tuple[float, float] | None
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    price: float
    name: str
    tone: str


def ladder_of(dossier: Dossier, result: CommitteeResult) -> Ladder | None:
    """The ladder; None where there are not two different levels."""
    if result.research is None:
        return None
    view = price_view(dossier, result.research)
    price, value = view.price, _value_range(view)
    named = list(_levels(view, result))
    named += [_Named(bound, name, Tone.NEITHER) for bound, name in zip(value, _value_names(), strict=False)]
    near = [level for level in named if price is None or price / _FARTHEST <= level.price <= price * _FARTHEST]
    if price is not None:
        near.append(_Named(price, said("现价", "price"), "price"))
    prices = sorted({level.price for level in near}, reverse=True)
    if len(prices) < 2:  # noqa: PLR2004 - one level is no ladder
        return None
    height = len(prices) * _ROW + 2 * _MARGIN
    places = _places(prices, height)
    levels = [
        _level(at, near, price, y, text_y)
        for at, y, text_y in zip(prices, places, spread(places, _ROW, places[-1]), strict=True)
    ]
    drawn = dict(zip(prices, places, strict=True))
    outside = tuple(f"{level.name} {number(level.price)}" for level in named if level.price not in drawn)
    return Ladder(tuple(levels), height, _band(value, drawn), outside)


def _levels(view: PriceView, result: CommitteeResult) -> Iterator[_Named]:
    """Support, resistance, stop and target, whoever names them."""
    kinds = [
        (said("支撑位", "support"), view.support, Tone.NEITHER),
        (said("压力位", "resistance"), view.resistance, Tone.NEITHER),
    ]
    if result.verdict:
        plan = plan_prices(result.verdict)
        kinds += [
            (said("止损", "stop loss"), plan.stop, Tone.AGAINST),
            (said("止盈", "target"), plan.target, Tone.FOR),
        ]
    for name, prices, tone in kinds:
        yield from (_Named(price, name, tone) for price in prices[:_MOST_OF_A_KIND])


def _value_range(view: PriceView) -> tuple[float, ...]:
    """Lower and upper bound of the intrinsic value; empty where the texts do not name both prices."""
    bounds = [prices_in(text or "")[:1] for text in (view.value_low, view.value_high)]
    return tuple(price for prices in bounds for price in prices) if all(bounds) else ()


def _value_names() -> tuple[str, str]:
    return said("估值下限", "bottom of the value range"), said("估值上限", "top of the value range")


def _level(at: float, near: list[_Named], price: float | None, y: float, text_y: float) -> Level:
    here = [level for level in near if level.price == at]
    tones = [level.tone for level in here if level.tone != Tone.NEITHER]
    names = said("、", ", ").join(dict.fromkeys(level.name for level in here))
    change = f"{(at / price - 1) * 100:+.1f}%".replace("-", "−") if price and at != price else ""
    return Level(at, names, change, tones[-1] if tones else Tone.NEITHER, y, text_y)


def _places(prices: list[float], height: float) -> list[float]:
    """Where each price lies on a scale from the highest to the lowest."""
    top, bottom = prices[0], prices[-1]
    return [round(_MARGIN + (top - price) / (top - bottom) * (height - 2 * _MARGIN), 1) for price in prices]


def spread(places: list[float], room: float, last: float) -> list[float]:
    """The places, from the top, moved apart until each text has its room, and none lies below the last."""
    down: list[float] = []
    for place in places:
        down.append(max(place, down[-1] + room) if down else place)
    up: list[float] = []
    for place in reversed(down):
        up.append(min(place, up[-1] - room if up else last))
    return up[::-1]


def _band(value: tuple[float, ...], drawn: dict[float, float]) -> tuple[float, float] | None:
    """Top and height of the value range."""
    if not value or any(bound not in drawn for bound in value):
        return None
    top, bottom = sorted(drawn[bound] for bound in value)
    return top, round(bottom - top, 1)
