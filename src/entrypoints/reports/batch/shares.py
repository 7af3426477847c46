"""Counts and shares as a reader sees them: exact, and no share that looks rounder than it is."""

from __future__ import annotations

from src.entrypoints.reports.labels import said

_SIZES = ("KB", "MB", "GB", "TB", "PB")


def grouped(count: int) -> str:
    """A count with its thousands apart."""
    return f"{count:,}"


def share(count: int, whole: int) -> str:
    """So many of the whole in percent; of an empty whole, a dash.

    It is `0%` or `100%` only where it is exactly that: what would be rounded to one of them is `<0.1%` or `>99.9%`.
    """
    if not whole:
        return "–"
    if count in (0, whole):
        return "100%" if count else "0%"
    thousandths = (count * 1000 * 2 + whole) // (whole * 2)
    if thousandths == 0:
        return "<0.1%"
    if thousandths == 1000:  # noqa: PLR2004 - a thousand thousandths
        return ">99.9%"
    return f"{thousandths // 10}.{thousandths % 10}%"


def size(count: int) -> str:
    """So many bytes in the largest decimal unit of which there is one."""
    if count < 1000:  # noqa: PLR2004 - the step between two units
        return f"{count} B"
    powers = range(1, len(_SIZES) + 1)
    fitting = (power for power in powers if count / 1000**power < 999.95)  # noqa: PLR2004 - shown as 1,000.0
    power = next(fitting, len(_SIZES))
    return f"{count / 1000**power:,.1f} {_SIZES[power - 1]}"


def duration(seconds: float) -> str:
    """Seconds, or thousandths of them where it is less than one."""
    if seconds >= 1:
        return f"{seconds:,.1f} {said('秒', 's')}"
    return f"{seconds * 1000:.3g} {said('毫秒', 'ms')}"
