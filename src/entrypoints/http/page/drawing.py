"""The series as the server draws it: lines and columns in percent of their picture, and the axis beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from src.entrypoints.http.page.overview import Filters
from src.modules.monitoring.domain.rate import Point
from src.modules.monitoring.domain.window import SECOND, Moment, time_of
from src.shared.domain.ports.repair_rates import ALARM_ABOVE, WARNING_AT

_NICE = (0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
_TICKS = 6
_DAYS = 2 * 86_400


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of an axis, and where it stands, in percent."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Column:
    """The texts of one step, in percent of the picture.

    Attributes:
        x: where it begins.
        width: how wide it is.
        parts: of each outcome, from below: its name, where it begins from above, how high it is.
    """

    x: float
    width: float
    parts: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture.

    Attributes:
        lines: the points of each unbroken stretch of the repair rate, as SVG has them.
        refused: the same of the refused share.
        dots: stretches of one step alone.
        columns: texts by outcome.
        shares: labels of the axis of shares.
        warning: height of the warning threshold, from above.
        alarm: the same of the other.
        times: labels of the axis of time.
        most: texts of the fullest step.
    """

    lines: tuple[str, ...]
    refused: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    columns: tuple[Column, ...]
    shares: tuple[Tick, ...]
    warning: float
    alarm: float
    times: tuple[Tick, ...]
    most: int


def drawing(points: Sequence[Point], filters: Filters, until: Moment) -> Drawing:
    """Draw a series."""
    width, begin = filters.seconds * SECOND, filters.begin(until)

    def x_of(moment: Moment) -> float:
        return round(min(max((moment - begin) / width, 0.0), 1.0) * 100, 2)

    highest = max((max(point.repair_rate, refused_share(point)) for point in points), default=0.0)
    top = next(one for one in _NICE if one >= min(highest, 1.0))
    half = filters.step * SECOND // 2

    def drawn(stretch: Sequence[Point], *, is_refused: bool) -> str:
        shares = ((one, refused_share(one) if is_refused else one.repair_rate) for one in stretch)
        return " ".join(f"{x_of(one.at + half)},{_height(share, top)}" for one, share in shares)

    stretches = [*_stretches(points, filters.step * SECOND)]
    most = max((point.parses for point in points), default=0)
    step = filters.step * SECOND
    return Drawing(
        lines=tuple(drawn(one, is_refused=False) for one in stretches),
        refused=tuple(drawn(one, is_refused=True) for one in stretches),
        dots=tuple((x_of(one[0].at + half), _height(one[0].repair_rate, top)) for one in stretches if len(one) == 1),
        columns=tuple(_column(point, x_of(point.at), x_of(point.at + step), most) for point in points),
        shares=tuple(Tick(_height(top * part / 3, top), f"{top * part / 3:.0%}") for part in range(4)),
        warning=_height(WARNING_AT, top),
        alarm=_height(ALARM_ABOVE, top),
        times=tuple(_times(begin, width)),
        most=most,
    )


def refused_share(point: Point) -> float:
    """Refused texts of a step among all of it."""
    return point.refused / point.parses if point.parses else 0.0


def _height(share: float, top: float) -> float:
    return round((1 - share / top) * 100, 2)


def _stretches(points: Sequence[Point], step: int) -> Iterator[list[Point]]:
    stretch: list[Point] = []
    for point in points:
        if stretch and point.at - stretch[-1].at != step:
            yield stretch
            stretch = []
        stretch.append(point)
    if stretch:
        yield stretch


def _column(point: Point, begin: float, end: float, most: int) -> Column:
    parts, below = [], 100.0
    clean = point.parses - point.repaired - point.refused
    for name, count in (("clean", clean), ("repaired", point.repaired), ("refused", point.refused)):
        height = count / most * 100
        below -= height
        parts.append((name, round(below, 2), round(height, 2)))
    return Column(begin, round(max((end - begin) * 0.86, 0.2), 2), tuple(parts))


def _times(begin: Moment, width: int) -> Iterator[Tick]:
    form = "%m-%d" if width > _DAYS * SECOND else "%H:%M"
    for part in range(_TICKS + 1):
        yield Tick(round(part / _TICKS * 100, 2), time_of(begin + width * part // _TICKS).strftime(form))
