"""What the templates make of the store's answers: the order of rates, how each ended, and the series as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from src.entrypoints.http.page.overview import Filters
from src.modules.monitoring.domain.rate import Point, Rate
from src.modules.monitoring.domain.window import SECOND, Moment, time_of
from src.shared.domain.ports.repair_rates import ALARM_ABOVE, WARNING_AT, RateLevel
from src.shared.domain.repair_rate import MINIMUM

ROWS = 100
"""Agents, and models, that are listed: those with the highest repair rate."""
BARS = 12
"""Stages, and kinds of repair, that are listed: the most frequent."""
EXCERPT = 240
"""Characters of a refused text that are shown, where texts are stored."""
_NICE = (0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
_TICKS = 6
_DAYS = 2 * 86_400


def ranked_rates(rates: Sequence[Rate]) -> list[Rate]:
    """The highest repair rate first; of the same rates the one with more texts."""
    return sorted(rates, key=lambda rate: (-rate.level, -rate.texts.repair_rate, -rate.texts.parses, rate.name))


def outcomes(rate: Rate) -> dict[str, int]:
    """How many texts ended how, in the order of the columns."""
    texts = rate.texts
    return {
        "clean": rate.clean,
        "repaired": texts.repaired - texts.model_repaired,
        "model_repaired": texts.model_repaired,
        "refused": texts.refused,
    }


def level(rate: Rate) -> str:
    """How a rate stands to the thresholds: `normal`, `warning`, `alarm`; `few` where there are too few texts."""
    is_few = rate.texts.outputs < MINIMUM and RateLevel.of(rate.texts.repair_rate)
    return "few" if is_few else rate.level.name.lower()


def chart_of(points: Sequence[Point], filters: Filters, until: Moment) -> dict[str, Any]:
    """The series as the server draws it, in percent of the picture from its upper left corner.

    Returns:
        `lines` and `refused`: the points of each unbroken stretch of the repair rate and of the refused share, as SVG
        has them; `dots`: stretches of one step; `columns`: beginning, width and parts of each step; `shares` and
        `times`: place and label of each tick; `warning` and `alarm`: the thresholds; `most`: texts of the fullest step.
    """
    step, width, begin = filters.step * SECOND, filters.seconds * SECOND, filters.begin(until)

    def x_of(moment: Moment) -> float:
        return round(min(max((moment - begin) / width, 0.0), 1.0) * 100, 2)

    highest = max((max(point.repair_rate, _refused_share(point)) for point in points), default=0.0)
    top = next(one for one in _NICE if one >= min(highest, 1.0))
    most = max((point.parses for point in points), default=0)
    stretches = [
        [
            (x_of(point.at + step // 2), _height(point.repair_rate, top), _height(_refused_share(point), top))
            for point in one
        ]
        for one in _stretches(points, step)
    ]
    return {
        "lines": [" ".join(f"{x},{asked}" for x, asked, _ in one) for one in stretches],
        "refused": [" ".join(f"{x},{refused}" for x, _, refused in one) for one in stretches],
        "dots": [one[0][:2] for one in stretches if len(one) == 1],
        "columns": [_column(point, x_of(point.at), x_of(point.at + step), most) for point in points],
        "shares": [(_height(top * part / 3, top), f"{top * part / 3:.0%}") for part in range(4)],
        "times": [*_times(begin, width)],
        "warning": _height(WARNING_AT, top),
        "alarm": _height(ALARM_ABOVE, top),
        "most": most,
    }


def _refused_share(point: Point) -> float:
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


def _column(point: Point, begin: float, end: float, most: int) -> tuple[float, float, list[tuple[str, float, float]]]:
    """Where a step's texts begin and how wide they are drawn; of each outcome its name, its top and its height."""
    parts, below = [], 100.0
    clean = point.parses - point.repaired - point.refused
    for name, count in (("clean", clean), ("repaired", point.repaired), ("refused", point.refused)):
        height = count / most * 100
        below -= height
        parts.append((name, round(below, 2), round(height, 2)))
    return begin, round(max((end - begin) * 0.86, 0.2), 2), parts


def _times(begin: Moment, width: int) -> Iterator[tuple[float, str]]:
    form = "%m-%d" if width > _DAYS * SECOND else "%H:%M"
    for part in range(_TICKS + 1):
        yield round(part / _TICKS * 100, 2), time_of(begin + width * part // _TICKS).strftime(form)
