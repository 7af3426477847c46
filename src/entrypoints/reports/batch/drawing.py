"""Counts as bars: where each part of a bar or a column begins and how long it is, in percent or pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import NamedTuple

from src.entrypoints.reports.batch.words import share
from src.modules.reparsing.domain.tally import Counts
from src.shared.domain.language import Message, Phrase

COLUMN_HEIGHT = 96
"""Pixels of the highest column."""
_NARROWEST = 0.6
"""Percent of the width that a part which is not empty has at least."""
_LOWEST = 1.5
"""Pixels of the height, likewise."""


class Part(NamedTuple):
    """A part of a bar, in percent of its width, or of a column, in pixels from the top; `tone` is its colour."""

    tone: str
    start: float
    length: float


class Column(NamedTuple):
    """One time: where it stands, in percent of the width, and its parts, from the bottom.

    Attributes:
        x: where it begins.
        width: of it.
        name: of the time.
        counts: of its texts.
        parts: clean, repaired and refused texts.
        refused: the bar of the refused share; None where there are no texts.
    """

    x: float
    width: float
    name: str
    counts: Counts
    parts: tuple[Part, ...]
    refused: Part | None


def bar(parts: Iterable[tuple[str, int]]) -> tuple[Part, ...]:
    """The parts of a bar of the whole width, from the left; an empty one is not drawn, a small one can be seen."""
    some = [(tone, count) for tone, count in parts if count]
    whole = sum(count for _, count in some)
    least = [max(count / whole * 100, _NARROWEST) for _, count in some]
    widths = [width / sum(least) * 100 for width in least]
    starts = accumulate(widths, initial=0.0)
    return tuple(
        Part(tone, round(start, 3), round(width, 3))
        for (tone, _), start, width in zip(some, starts, widths, strict=False)
    )


def outcome_bar(counts: Counts) -> tuple[Part, ...]:
    """The bar of what came of some texts."""
    return bar((("clean", counts.clean), ("repaired", counts.repaired), ("refused", counts.refused)))


def columns(times: Sequence[tuple[str, Counts]]) -> tuple[Column, ...]:
    """A column for each time, those without texts empty; the highest number of texts has the whole height."""
    most = max(counts.texts for _, counts in times)
    worst = max(counts.refused / counts.texts for _, counts in times if counts.texts)
    step = 100 / len(times)
    return tuple(
        Column(
            x=round(place * step + step * 0.1, 3),
            width=round(step * 0.8, 3),
            name=name,
            counts=counts,
            parts=_column(counts, most),
            refused=_refused(counts, worst) if counts.texts else None,
        )
        for place, (name, counts) in enumerate(times)
    )


def worst_share(times: Sequence[tuple[str, Counts]]) -> str:
    """The largest share of refused texts of any time."""
    counts = max((counts for _, counts in times if counts.texts), key=lambda one: one.refused / one.texts)
    return share(counts.refused, counts.texts)


def _column(counts: Counts, most: int) -> tuple[Part, ...]:
    some = [("clean", counts.clean), ("repaired", counts.repaired), ("refused", counts.refused)]
    drawn = [(tone, max(count / most * COLUMN_HEIGHT, _LOWEST)) for tone, count in some if count]
    excess = max(sum(height for _, height in drawn) - COLUMN_HEIGHT, 0.0)
    parts: list[Part] = []
    top = float(COLUMN_HEIGHT)
    tallest = max((height for _, height in drawn), default=0.0)
    for tone, height in drawn:
        fitting = height - excess if height == tallest else height
        top -= fitting
        parts.append(Part(tone, round(top, 2), round(fitting, 2)))
    return tuple(parts)


def _refused(counts: Counts, worst: float) -> Part:
    height = counts.refused / counts.texts / worst * COLUMN_HEIGHT if counts.refused else 0.0
    height = max(height, _LOWEST)
    return Part("refused" if counts.refused else "none", round(COLUMN_HEIGHT - height, 2), round(height, 2))


MOST_COLUMNS = 60
"""Most columns that are drawn."""
_HOUR, _DAY, _MONTH, _YEAR = 13, 10, 7, 4
"""Characters in the name of each."""


class TimeColumns(NamedTuple):
    """Columns from the first time with texts to the last, each with its name, such as `2026-11-23`, and its counts."""

    unit: Message
    columns: tuple[tuple[str, Counts], ...]


class _Unit(NamedTuple):
    """How times become numbers without gaps, and what a number is called; `length` is of the shortest name for it."""

    title: Message
    length: int
    number: Callable[[str], int]
    name: Callable[[int], str]


def time_columns(by_time: Mapping[str, Counts]) -> TimeColumns | None:
    """The columns of a tally's times, whose names are all of one length; None where there is no time."""
    if not by_time:
        return None
    length = len(next(iter(by_time)))
    unit, numbers = next(_fitting(by_time, length))
    columns = {number: Counts() for number in range(min(numbers.values()), max(numbers.values()) + 1)}
    for name, counts in by_time.items():
        columns[numbers[name]].add(counts)
    return TimeColumns(unit.title, tuple((unit.name(number), counts) for number, counts in columns.items()))


def _fitting(by_time: Mapping[str, Counts], length: int) -> Iterator[tuple[_Unit, dict[str, int]]]:
    """The units with few enough columns, the finest first; the last one has few enough for any times."""
    for unit in _UNITS:
        if length >= unit.length:
            numbers = {name: unit.number(name) for name in by_time}
            if max(numbers.values()) - min(numbers.values()) < MOST_COLUMNS:
                yield unit, numbers


_SIX = 6


def _hour(name: str) -> int:
    return _day(name) * 24 + int(name[11:_HOUR])


def _day(name: str) -> int:
    return date.fromisoformat(name[:_DAY]).toordinal()


def _month(name: str) -> int:
    return int(name[:_YEAR]) * 12 + int(name[5:_MONTH]) - 1


def _hour_name(number: int) -> str:
    return f"{date.fromordinal(number // 24).isoformat()} {number % 24:02}:00"


def _week_name(number: int) -> str:
    return date.fromordinal(number * 7 + 1).isoformat()


_UNITS = (
    _Unit(Phrase("one hour"), _HOUR, _hour, _hour_name),
    _Unit(
        Phrase("six hours"),
        _HOUR,
        lambda name: _hour(name) // _SIX,
        lambda number: _hour_name(number * _SIX),
    ),
    _Unit(Phrase("one day"), _DAY, _day, lambda number: date.fromordinal(number).isoformat()),
    _Unit(Phrase("one week, from Monday"), _DAY, lambda name: (_day(name) - 1) // 7, _week_name),
    _Unit(Phrase("one month"), _MONTH, _month, lambda number: f"{number // 12}-{number % 12 + 1:02}"),
    _Unit(Phrase("one year"), _YEAR, lambda name: int(name[:_YEAR]), str),
    _Unit(Phrase("ten years"), _YEAR, lambda name: int(name[:3]), lambda number: f"{number}0"),
    _Unit(Phrase("a thousand years"), 2, lambda name: int(name[:1]), lambda number: f"{number}000"),
)
"""From the finest; ordinal 1 is a Monday, and a week is called by its first day."""
