"""The dossier's series as small charts: quarters, moving averages up to the price, forecasts."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from examples.committee.reports.figures import Figure
from src.entrypoints.reports.words import number, said

_AVERAGES: Final = ("ma250", "ma120", "ma60", "ma20", "ma10", "ma5", "close")
"""Keys of the prices, from the longest average to the day's."""
_MOST = 6
"""Points of one chart: the latest."""
_HEIGHT = 64.0
"""Pixels between the lowest and the highest point."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a series.

    Attributes:
        label: under it.
        value: as the dossier gives it.
        x: of its middle, in percent of the width.
        width: of its bar, in percent of the width.
        top: of its bar, in pixels.
        height: of its bar, in pixels.
        is_cited: whether a claim states it.
    """

    label: str
    value: str
    x: float
    width: float
    top: float
    height: float
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """One series, the oldest value first; `is_level` where the bars stand for levels and do not begin at 0."""

    title: str
    points: tuple[Point, ...]
    is_level: bool = False


def charts_of(figures: tuple[Figure, ...], cited: AbstractSet[str]) -> tuple[Chart, ...]:
    """The series of which a claim states at least one value."""
    charts = (_chart(series, cited, is_level=series[0].key in _AVERAGES) for series in _series_of(figures))
    return tuple(chart for chart in charts if any(point.is_cited for point in chart.points))


def _series_of(figures: tuple[Figure, ...]) -> Iterator[list[Figure]]:
    """Each series with two values or more, in the order of time."""
    prices = sorted((one for one in figures if one.key in _AVERAGES), key=lambda one: _AVERAGES.index(one.key))
    quarters = sorted((one for one in figures if _is_quarter(one)), key=lambda one: one.label)
    keys = dict.fromkeys(one.key for one in figures if _is_quarter(one))
    series = [prices, *([one for one in quarters if one.key == key] for key in keys)]
    series.append([one for one in figures if one.key == "eps_forecasts"])
    yield from (rows[-_MOST:] for rows in series if len(rows) > 1)


def _is_quarter(figure: Figure) -> bool:
    return "Q" in figure.label


def _chart(series: list[Figure], cited: AbstractSet[str], *, is_level: bool) -> Chart:
    values = [figure.value for figure in series]
    low, high = (min(values), max(values)) if is_level else (min(0.0, *values), max(0.0, *values))
    scale = _HEIGHT / (high - low) if high > low else 0.0
    first = series[0]
    title = said("均价与收盘价", "Average prices and close") if is_level else first.title
    unit = first.shown.removeprefix(number(first.value)).strip()
    places = [(place + 0.5) / len(series) * 100 for place in range(len(series))]
    points = tuple(
        Point(
            _label(figure),
            number(figure.value),
            round(x, 2),
            round(60 / len(series), 2),
            round((high - (figure.value if is_level else max(figure.value, 0.0))) * scale, 1),
            0.0 if is_level else round(abs(figure.value) * scale, 1),
            figure.anchor in cited,
        )
        for x, figure in zip(places, series, strict=True)
    )
    return Chart(f"{title}{said('，', ', ')}{unit}" if unit else title, points, is_level)


def _label(figure: Figure) -> str:
    """What stands under a value: a quarter without its century, an average's days, or which of the series it is."""
    if figure.key in _AVERAGES:
        return figure.key.removeprefix("ma") if figure.key != "close" else said("收盘", "close")
    return figure.label[2:] if _is_quarter(figure) else figure.label
