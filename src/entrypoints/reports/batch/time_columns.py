"""A run's texts over time, as columns of one unit: as fine as a page can show, with a column for every gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from src.entrypoints.reports.labels import chinese
from src.modules.reparsing.domain.tally import Counts
from src.shared.domain.language import Message

MOST_COLUMNS = 60
"""Most columns that are drawn."""
_HOUR, _DAY, _MONTH, _YEAR = 13, 10, 7, 4
"""Characters in the name of each."""


@dataclass(frozen=True, slots=True)
class TimeColumns:
    """Columns from the first time with texts to the last; one without texts has empty counts.

    Attributes:
        unit: of each column.
        columns: the name of each, such as `2026-11-23`, and its counts.
    """

    unit: Message
    columns: tuple[tuple[str, Counts], ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """How times become numbers without gaps, and how a number is called.

    Attributes:
        title: of the unit.
        length: of the shortest name that tells it.
        number: of the time that a name tells.
        name: of a number.
    """

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
    _Unit(chinese("一小时", "one hour"), _HOUR, _hour, _hour_name),
    _Unit(
        chinese("六小时", "six hours"),
        _HOUR,
        lambda name: _hour(name) // _SIX,
        lambda number: _hour_name(number * _SIX),
    ),
    _Unit(chinese("一天", "one day"), _DAY, _day, lambda number: date.fromordinal(number).isoformat()),
    _Unit(chinese("一周（自星期一）", "one week, from Monday"), _DAY, lambda name: (_day(name) - 1) // 7, _week_name),
    _Unit(chinese("一个月", "one month"), _MONTH, _month, lambda number: f"{number // 12}-{number % 12 + 1:02}"),
    _Unit(chinese("一年", "one year"), _YEAR, lambda name: int(name[:_YEAR]), str),
    _Unit(chinese("十年", "ten years"), _YEAR, lambda name: int(name[:3]), lambda number: f"{number}0"),
    _Unit(chinese("千年", "a thousand years"), 2, lambda name: int(name[:1]), lambda number: f"{number}000"),
)
"""From the finest; ordinal 1 is a Monday, and a week is called by its first day."""
