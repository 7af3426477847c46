"""Price, support, resistance, value range, stop and target on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.domain.plan_prices import plan_prices, prices_in
from examples.committee.domain.price_view import PriceView, price_view
from examples.committee.reports.labels import Tone
from src.entrypoints.reports.words import number, said

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
        rail: top and height of the scale in pixels.
        band: top and height of the value range in pixels; None where no range is known.
        outside: levels that are too far away to be drawn, in words.
    """

    levels: tuple[Level, ...]
    height: float
    rail: tuple[float, float]
    band: tuple[float, float] | None
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    price: float
    name: str
    tone: str


@dataclass(frozen=True, slots=True)
class LadderPrices:
    """What one run says of the price: what it was given, and the amounts of its plan."""

    view: PriceView
    stop: tuple[float, ...] = ()
    target: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Scale:
    top: float
    bottom: float
    height: float

    @property
    def rail(self) -> tuple[float, float]:
        """Top and height of the whole scale in pixels."""
        return _MARGIN, self.height - 2 * _MARGIN

    def place(self, price: float) -> float:
        """Where a price lies, in pixels from the top."""
        share = (self.top - price) / (self.top - self.bottom)
        return round(_MARGIN + share * (self.height - 2 * _MARGIN), 1)


def ladder_of(dossier: Dossier, result: CommitteeResult) -> Ladder | None:
    """The ladder of a run; None where there are not two different levels."""
    if result.research is None:
        return None
    view = price_view(dossier, result.research)
    if result.verdict is None:
        return ladders_of([LadderPrices(view)])[0]
    plan = plan_prices(result.verdict)
    return ladders_of([LadderPrices(view, plan.stop, plan.target)])[0]


def ladders_of(runs: Sequence[LadderPrices]) -> tuple[Ladder | None, ...]:
    """A ladder each, all on one scale; None where a run names no level, and where all name only one."""
    named = [tuple(_levels(run)) for run in runs]
    near = [_near(levels, run.view.price) for levels, run in zip(named, runs, strict=True)]
    prices = {level.price for levels in near for level in levels}
    if len(prices) < 2:  # noqa: PLR2004 - one level is no ladder
        return (None,) * len(runs)
    most = max(len({level.price for level in levels}) for levels in near)
    scale = _Scale(max(prices), min(prices), most * _ROW + 2 * _MARGIN)
    return tuple(
        _ladder(run, every, levels, scale) if levels else None
        for run, every, levels in zip(runs, named, near, strict=True)
    )


def _ladder(run: LadderPrices, named: tuple[_Named, ...], near: list[_Named], scale: _Scale) -> Ladder:
    price = run.view.price
    prices = sorted({level.price for level in near}, reverse=True)
    places = [scale.place(at) for at in prices]
    texts = spread(places, _ROW, scale.height - _MARGIN)
    levels = [_level(at, near, price, y, text_y) for at, y, text_y in zip(prices, places, texts, strict=True)]
    drawn = dict(zip(prices, places, strict=True))
    outside = tuple(f"{level.name} {number(level.price)}" for level in named if level.price not in drawn)
    return Ladder(tuple(levels), scale.height, scale.rail, _band(value_range(run.view), drawn), outside)


def _near(levels: Iterable[_Named], price: float | None) -> list[_Named]:
    """The levels that are drawn, and the price."""
    if price is None:
        return list(levels)
    near = [level for level in levels if price / _FARTHEST <= level.price <= price * _FARTHEST]
    return [*near, _Named(price, said("现价", "price"), "price")]


def _levels(run: LadderPrices) -> Iterator[_Named]:
    """Support, resistance, stop, target and value range, whoever names them."""
    kinds = [
        (said("支撑位", "support"), run.view.support, Tone.NEITHER),
        (said("压力位", "resistance"), run.view.resistance, Tone.NEITHER),
        (said("止损", "stop loss"), run.stop, Tone.AGAINST),
        (said("止盈", "target"), run.target, Tone.FOR),
    ]
    for name, prices, tone in kinds:
        yield from (_Named(price, name, tone) for price in prices[:_MOST_OF_A_KIND])
    for bound, name in zip(value_range(run.view), _value_names(), strict=False):
        yield _Named(bound, name, Tone.NEITHER)


def value_range(view: PriceView) -> tuple[float, ...]:
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
