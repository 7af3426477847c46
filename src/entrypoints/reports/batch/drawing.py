"""Counts as bars and columns: where each part begins and how long it is, and which columns some times have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from itertools import accumulate
from typing import Any, NamedTuple

from src.shared.domain.language import Message, Phrase

COLUMN_HEIGHT = 96
"""Pixels of the highest column."""
_NARROWEST, _LOWEST = 0.6, 1.5
"""Percent of the width, and pixels of the height, that a part which is not empty has at least where there is room."""
DRAWN = ("clean", "repaired", "refused")
"""The outcomes that a bar or a column is made of, from the left or from the bottom."""


class Part(NamedTuple):
    """A part of a bar, in percent of its width, or of a column, in pixels from the top; `tone` is its colour."""

    tone: str
    start: float
    length: float


def bar(parts: Iterable[tuple[str, int]], length: float = 100.0, least: float = _NARROWEST) -> list[Part]:
    """The parts of a bar of this length, one behind the other; an empty one is not drawn, a small one can be seen."""
    some = [(tone, count) for tone, count in parts if count]
    whole = sum(count for _, count in some)
    sizes = [max(count / whole * length, least) for _, count in some]
    fitting = [size / sum(sizes) * length for size in sizes]
    starts = accumulate(fitting, initial=0.0)
    drawn = zip(some, starts, fitting, strict=False)
    return [Part(tone, round(start, 3), round(size, 3)) for (tone, _), start, size in drawn]


def columns(times: list[tuple[str, Counter[str]]]) -> list[dict[str, Any]]:
    """A column for each time, those without texts empty; the highest number of texts has the whole height.

    Each has its `name` and its `counts`; `x`, where it begins, and its `width` in percent; the `parts` of its texts,
    and its share of `refused` texts as the parts of a second column.
    """
    most = max(counts["texts"] for _, counts in times)
    shares = [counts["refused"] / (counts["texts"] or 1) for _, counts in times]
    step = 100 / len(times)
    return [
        {
            "x": round((place + 0.1) * step, 3),
            "width": round(step * 0.8, 3),
            "name": name,
            "counts": counts,
            "parts": _column([(tone, counts[tone]) for tone in DRAWN], counts["texts"] / most),
            "refused": _column([("refused" if share else "none", counts["texts"])], share / (max(shares) or 1)),
        }
        for place, ((name, counts), share) in enumerate(zip(times, shares, strict=True))
    ]


def _column(parts: list[tuple[str, int]], share: float) -> list[Part]:
    """The parts of a column of this share of the whole height, from the bottom; a low one can be seen."""
    drawn = bar(parts, max(share * COLUMN_HEIGHT, _LOWEST), _LOWEST)
    return [part._replace(start=round(COLUMN_HEIGHT - part.start - part.length, 3)) for part in drawn]


MOST_COLUMNS = 60
"""Most columns that are drawn."""
_HOURS = (
    (Phrase("one hour"), 13, 1),
    (Phrase("six hours"), 13, 6),
    (Phrase("one day"), 10, 24),
    (Phrase("one week, from Monday"), 10, 7 * 24),
)
_MONTHS = (
    (Phrase("one month"), 7, 1),
    (Phrase("one year"), 4, 12),
    (Phrase("ten years"), 4, 120),
    (Phrase("a thousand years"), 2, 12_000),
)
"""Units of columns from the finest to one with few enough columns for any times: what each is called, the shortest
name of a time for it, and how many hours, or months, it has. Hours count from a Monday."""


def time_columns(by_time: Mapping[str, Counter[str]]) -> tuple[Message, list[tuple[str, Counter[str]]]]:
    """The finest unit with few enough columns, and a name and counts from the first time with texts to the last.

    Args:
        by_time: a tally's times, at least one, whose names are all of one length.
    """
    length = len(next(iter(by_time)))
    units = ((unit, *clock) for table, *clock in _CLOCKS for unit in table if length >= unit[1])
    counted = (
        (unit, name_of, {name: number_of(name) // unit[2] for name in by_time}) for unit, number_of, name_of in units
    )
    (title, _, size), name_of, numbers = next(one for one in counted if _span(one[2].values()) <= MOST_COLUMNS)
    first = min(numbers.values())
    drawn = {number: Counter[str]() for number in range(first, first + _span(numbers.values()))}
    for name, counts in by_time.items():
        drawn[numbers[name]].update(counts)
    return title, [(name_of(number * size, size), counts) for number, counts in drawn.items()]


def _span(numbers: Collection[int]) -> int:
    """How many numbers there are from the first to the last."""
    return max(numbers) - min(numbers) + 1


def _hours(name: str) -> int:
    return (date.fromisoformat(name[:10]).toordinal() - 1) * 24 + int(name[11:] or 0)


def _hour_name(hours: int, size: int) -> str:
    day, hour = divmod(hours, 24)
    return date.fromordinal(day + 1).isoformat() + (f" {hour:02}:00" if size < 24 else "")  # noqa: PLR2004 - a day


def _months(name: str) -> int:
    return int(name[:4].ljust(4, "0")) * 12 + int(name[5:7] or 1) - 1


def _month_name(months: int, size: int) -> str:
    year, month = divmod(months, 12)
    return f"{year:04}" + (f"-{month + 1:02}" if size == 1 else "")


_CLOCKS: tuple[tuple[Any, Callable[[str], int], Callable[[int, int], str]], ...] = (
    (_HOURS, _hours, _hour_name),
    (_MONTHS, _months, _month_name),
)
