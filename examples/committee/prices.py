"""Daily prices in a CSV file, made into what the technical analyst is told.

The file has a header with `date` and `close`, and may have `open`, `high`, `low` and `volume` (shares); other columns
are ignored. Prices are comparable from day to day (前复权). An indicator that needs more days than there are is left
out, and so told as missing.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidationError

from examples.committee.dossier import Dossier, DossierError
from src.modules.research.domain.inputs import NotNegative, Price
from src.shared.domain.language import Message

AVERAGES: Final = (5, 10, 20, 60, 120, 250)
WARM_UP: Final = 60
"""Days before RSI, which remembers all days before it, is given."""
YEAR: Final = timedelta(weeks=52)
MOST_LEVELS: Final = 3
NEAREST: Final = 0.01
"""Levels within this part of each other are one; the nearer to the price stays."""


class Bar(BaseModel):
    """One day of trade; an empty cell is not given."""

    date: date
    close: Price
    open: Price | None = None
    high: Price | None = None
    low: Price | None = None
    volume: Annotated[NotNegative | None, Field(description="shares")] = None


def with_prices(dossier: Dossier, path: Path) -> Dossier:
    """The dossier with a technical section made of the prices up to its date; nothing later is used.

    Raises:
        DossierError: the file cannot be used, or has no price up to that day.
    """
    bars = [bar for bar in read_bars(path) if bar.date <= dossier.stock.as_of]
    if not bars:
        raise DossierError.unreadable(path, Message("没有截至该日的价格", "no price up to the dossier's date"))
    content = dossier.model_dump(exclude={"technical"}, exclude_unset=True)
    return Dossier.model_validate({**content, "technical": technical_section(bars)})


def read_bars(path: Path) -> list[Bar]:
    """The days of a file, the earliest first.

    Raises:
        DossierError: it cannot be read, a row is wrong, or a day stands in it twice.
    """
    bars: dict[date, Bar] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            for row in rows:
                bar = Bar.model_validate({name: cell for name, cell in row.items() if name and cell})
                if bar.date in bars:
                    why = Message(f"第 {rows.line_num} 行的日期已有", f"line {rows.line_num} repeats a day")
                    raise DossierError.unreadable(path, why)
                bars[bar.date] = bar
    except ValidationError as error:
        names = ", ".join(str(problem["loc"][0]) for problem in error.errors(include_url=False, include_input=False))
        why = Message(f"第 {rows.line_num} 行有误：{names}", f"line {rows.line_num} is wrong: {names}")
        raise DossierError.unreadable(path, why) from None
    except (OSError, UnicodeError, csv.Error) as error:
        name = getattr(error, "strerror", None) or type(error).__name__
        raise DossierError.unreadable(path, Message(name, name)) from error
    return [bars[day] for day in sorted(bars)]


def technical_section(bars: Sequence[Bar]) -> dict[str, Any]:
    """What the technical analyst is told of some days, the earliest first, at least one."""
    last, closes = bars[-1], [bar.close for bar in bars]
    averages = {f"ma{days}": _mean(closes, days) for days in AVERAGES}
    bands = _bollinger(closes)
    year = _year(bars)
    levels = [level for level in (*averages.values(), *bands.values(), *year.values()) if level]
    found = {
        **{name: getattr(last, name) for name in ("open", "high", "low", "close")},
        **{f"change_{days}d": _change(closes, days) for days in (1, 20, 60)},
        **year,
        "volume": None if last.volume is None else last.volume / 10_000,
        **averages,
        **{f"rsi{days}": _rsi(closes, days) for days in (6, 14)},
        **bands,
    }
    return {
        **{name: round(value, 3) for name, value in found.items() if value is not None},
        "support_levels": _nearest((level for level in levels if level < last.close), last.close),
        "resistance_levels": _nearest((level for level in levels if level > last.close), last.close),
    }


def _mean(values: Sequence[float], days: int) -> float | None:
    return fmean(values[-days:]) if len(values) >= days else None


def _change(closes: Sequence[float], days: int) -> float | None:
    """Against the close of so many days before, percent."""
    return (closes[-1] / closes[-1 - days] - 1) * 100 if len(closes) > days else None


def _year(bars: Sequence[Bar]) -> dict[str, float]:
    """High and low of 52 weeks; nothing where the days begin later."""
    first = bars[-1].date - YEAR
    if bars[0].date > first:
        return {}
    year = [bar for bar in bars if bar.date > first]
    return {
        "high_52w": max(bar.high or bar.close for bar in year),
        "low_52w": min(bar.low or bar.close for bar in year),
    }


def _bollinger(closes: Sequence[float], days: int = 20) -> dict[str, float]:
    """The mean of the last days, and two standard deviations around it."""
    if len(closes) < days:
        return {}
    middle, spread = fmean(closes[-days:]), 2 * pstdev(closes[-days:])
    return {"bollinger_upper": middle + spread, "bollinger_middle": middle, "bollinger_lower": middle - spread}


def _rsi(closes: Sequence[float], days: int) -> float | None:
    """Wilder's relative strength: 100 × smoothed gains / (smoothed gains + smoothed losses); None if nothing moved."""
    if len(closes) <= WARM_UP:
        return None
    steps = [after - before for before, after in pairwise(closes)]
    gain, loss = (_wilder([max(sign * step, 0.0) for step in steps], days) for sign in (1, -1))
    return 100 * gain / (gain + loss) if gain + loss > 0 else None


def _wilder(values: Sequence[float], days: int) -> float:
    """Smoothed with 1 / days, from the mean of the first days on."""
    smoothed = fmean(values[:days])
    for value in values[days:]:
        smoothed += (value - smoothed) / days
    return smoothed


def _nearest(levels: Iterable[float], close: float) -> list[float]:
    """The levels nearest to the price, without those that are nearly the same."""
    kept: list[float] = []
    for level in sorted(levels, key=lambda one: abs(one - close)):
        if len(kept) < MOST_LEVELS and all(abs(level / other - 1) > NEAREST for other in kept):
            kept.append(level)
    return [round(level, 2) for level in kept if level > 0]
