"""Counts as bars: where each part of a bar or a column begins and how long it is, in percent or pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Any, NamedTuple

from src.shared.domain.language import Message, Phrase

COLUMN_HEIGHT = 96
"""Pixels of the highest column."""
_NARROWEST = 0.6
"""Percent of the width that a part which is not empty has at least."""
_LOWEST = 1.5
"""Pixels of the height, likewise."""
DRAWN = ("clean", "repaired", "refused")
"""The outcomes that a bar or a column is made of, from the left or from the bottom."""


class Part(NamedTuple):
    """A part of a bar, in percent of its width, or of a column, in pixels from the top; `tone` is its colour."""

    tone: str
    start: float
    length: float


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


def columns(times: Sequence[tuple[str, Counter[str]]]) -> list[dict[str, Any]]:
    """A column for each time, those without texts empty; the highest number of texts has the whole height.

    Each has its `name` and its `counts`; `x`, where it begins, and its `width` in percent; its `parts`; and the bar of
    its share of `refused` texts, or None where there are no texts.
    """
    most = max(counts["texts"] for _, counts in times)
    worst = max(counts["refused"] / counts["texts"] for _, counts in times if counts["texts"])
    step = 100 / len(times)
    return [
        {
            "x": round(place * step + step * 0.1, 3),
            "width": round(step * 0.8, 3),
            "name": name,
            "counts": counts,
            "parts": _column(counts, most),
            "refused": _refused(counts, worst) if counts["texts"] else None,
        }
        for place, (name, counts) in enumerate(times)
    ]


def _column(counts: Counter[str], most: int) -> list[Part]:
    drawn = [(tone, max(counts[tone] / most * COLUMN_HEIGHT, _LOWEST)) for tone in DRAWN if counts[tone]]
    excess = max(sum(height for _, height in drawn) - COLUMN_HEIGHT, 0.0)
    tallest = max((height for _, height in drawn), default=0.0)
    parts, top = list[Part](), float(COLUMN_HEIGHT)
    for tone, height in drawn:
        fitting = height - excess if height == tallest else height
        top -= fitting
        parts.append(Part(tone, round(top, 2), round(fitting, 2)))
    return parts


def _refused(counts: Counter[str], worst: float) -> Part:
    height = counts["refused"] / counts["texts"] / worst * COLUMN_HEIGHT if counts["refused"] else 0.0
    height = max(height, _LOWEST)
    return Part("refused" if counts["refused"] else "none", round(COLUMN_HEIGHT - height, 2), round(height, 2))


MOST_COLUMNS = 60
"""Most columns that are drawn."""


def time_columns(by_time: Mapping[str, Counter[str]]) -> tuple[Message, list[tuple[str, Counter[str]]]]:
    """The finest unit with few enough columns, and a name and counts from the first time with texts to the last.

    Args:
        by_time: a tally's times, at least one, whose names are all of one length.
    """
    length = len(next(iter(by_time)))
    units = (unit for unit in _UNITS if length >= unit[1])
    title, _, number_of, name_of = next(unit for unit in units if _count({*map(unit[2], by_time)}) <= MOST_COLUMNS)
    numbers = {name: number_of(name) for name in by_time}
    first = min(numbers.values())
    drawn = {number: Counter[str]() for number in range(first, first + _count({*numbers.values()}))}
    for name, counts in by_time.items():
        drawn[numbers[name]].update(counts)
    return title, [(name_of(number), counts) for number, counts in drawn.items()]


def _count(numbers: Collection[int]) -> int:
    """How many numbers there are from the first to the last."""
    return max(numbers) - min(numbers) + 1


_SIX = 6


def _hour(name: str) -> int:
    return _day(name) * 24 + int(name[11:13])


def _day(name: str) -> int:
    return date.fromisoformat(name[:10]).toordinal()


def _hour_name(number: int) -> str:
    return f"{_day_name(number // 24)} {number % 24:02}:00"


def _day_name(number: int) -> str:
    return date.fromordinal(number).isoformat()


_UNITS: Sequence[tuple[Message, int, Callable[[str], int], Callable[[int], str]]] = (
    (Phrase("one hour"), 13, _hour, _hour_name),
    (Phrase("six hours"), 13, lambda name: _hour(name) // _SIX, lambda number: _hour_name(number * _SIX)),
    (Phrase("one day"), 10, _day, _day_name),
    (
        Phrase("one week, from Monday"),
        10,
        lambda name: (_day(name) - 1) // 7,
        lambda number: _day_name(number * 7 + 1),
    ),
    (
        Phrase("one month"),
        7,
        lambda name: int(name[:4]) * 12 + int(name[5:7]) - 1,
        lambda number: f"{number // 12}-{number % 12 + 1:02}",
    ),
    (Phrase("one year"), 4, lambda name: int(name[:4]), str),
    (Phrase("ten years"), 4, lambda name: int(name[:3]), lambda number: f"{number}0"),
    (Phrase("a thousand years"), 2, lambda name: int(name[:1]), lambda number: f"{number}000"),
)
"""From the finest to one with few enough columns for any times: what it is called, the shortest name of a time for it,
how times become numbers without gaps, and what a number is called. Ordinal 1 is a Monday; a week has its first day."""
