"""Windows: which texts a rate is taken over."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.shared.domain.language import Message
from src.shared.domain.repair_rate import WINDOW

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


def time_of(moment: Moment) -> datetime:
    """A moment as a time in UTC."""
    return _EPOCH + timedelta(microseconds=moment)


_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_TEXTS = re.compile(r"[1-9][0-9]{0,6}+")
_SPAN = re.compile(r"([1-9][0-9]{0,6}+)([smhd])")


@dataclass(frozen=True, slots=True)
class Window:
    """The last texts of each agent or model, those of a time, or the last ones of a time. Exact: each text is counted.

    Attributes:
        texts: how many at most; None for any number.
        seconds: how far back from the moment of the question; None for any time.

    The default is the window of the rates that one process keeps in memory.
    """

    texts: int | None = WINDOW
    seconds: int | None = None

    @classmethod
    def of(cls, written: str) -> Window:
        """The window that is written as `200` (texts), as `24h` (a time: s, m, h or d) or as `200,24h`.

        Raises:
            MonitoringSettingsError: it is written in another way.
        """
        texts, seconds = None, None
        for part in written.split(",", 2):
            span = _SPAN.fullmatch(part)
            if span and seconds is None:
                seconds = int(span[1]) * _UNITS[span[2]]
            elif _TEXTS.fullmatch(part) and texts is None:
                texts = int(part)
            else:
                zh, en = "窗口应写作 200、24h 或 200,24h", "a window is written as 200, 24h or 200,24h"
                raise MonitoringSettingsError(Message(zh, en).text(), {"window": written[:40]})
        return cls(texts, seconds)

    def since(self, until: int) -> int:
        """The first moment of the window that ends at one."""
        return until - self.seconds * SECOND if self.seconds else 0
