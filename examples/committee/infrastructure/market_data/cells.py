"""Reading the cells of a vendor's table: what is no number or no date is None, whatever the vendor writes for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, TypeAlias

from examples.committee.infrastructure.market_data.failures import changed

Cells: TypeAlias = Mapping[str, Any]
"""One row of a table, by column."""

LOT = 100
"""Shares in a 手."""
PER_TEN = 10
"""Distributions are announced for ten shares."""


def rows_of(frame: Any, columns: Iterable[str], source: str) -> list[Cells]:  # noqa: ANN401 - an untyped library's table
    """The rows of a table.

    Raises:
        DataNotOfferedError: it is no table, or lacks a column; names the column.
    """
    names = list(getattr(frame, "columns", ()))
    missing = [name for name in columns if name not in names]
    if missing:
        raise changed(source, missing[0])
    found: list[Cells] = frame.to_dict("records")
    return found


def number(value: object) -> float | None:
    """A finite number; None for NaN, for what is empty and for marks such as `-`."""
    if isinstance(value, bool):
        return None
    try:
        found = float(value)  # type: ignore[arg-type]  # whatever the cell holds
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


def times(value: float | None, factor: float) -> float | None:
    """A number in another unit."""
    return None if value is None else value * factor


def day(value: object) -> date | None:
    """A date: `20251121`, `2025-11-21`, either with a time behind it, a date object; None for anything else."""
    if isinstance(value, datetime):
        return None if value != value else value.date()  # noqa: PLR0124 - the missing date of pandas equals nothing
    if isinstance(value, date):
        return value
    text = str(value).strip()[:10].replace("-", "")[:8]
    try:
        return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 - a day without a time
    except ValueError:
        return None


def text(value: object) -> str | None:
    """A text that is not empty; None for anything else."""
    return value.strip() or None if isinstance(value, str) else None


def compact(day_: date) -> str:
    """A date as both libraries take it: 20251121."""
    return f"{day_:%Y%m%d}"
