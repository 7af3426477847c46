"""Moments as the store keeps them: microseconds since 1970, UTC."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

Moment: TypeAlias = int
"""Microseconds since 1970-01-01T00:00:00Z."""
Clock: TypeAlias = Callable[[], Moment]

SECOND = 1_000_000
"""Microseconds of a second."""
DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> Moment:
    """What time it is."""
    return time.time_ns() // 1_000


def moment_of(time_: datetime) -> Moment:
    """A time with a zone as a moment."""
    return (time_ - _EPOCH) // timedelta(microseconds=1)


def time_of(moment: Moment) -> datetime:
    """A moment as a time in UTC."""
    return _EPOCH + timedelta(microseconds=moment)
