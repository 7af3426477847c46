"""Rates: what share of the texts of a window ended how, and which texts those are."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.shared.domain.language import Phrase
from src.shared.domain.repair_rate import MINIMUM, WINDOW, RateLevel, RepairRate

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


_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_PART = re.compile(r"([1-9][0-9]{0,6}+)([smhd]?)")


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
        found: dict[str, int | None] = {"texts": None, "seconds": None}
        for part in written.split(",", 2):
            matched = _PART.fullmatch(part)
            name = "seconds" if matched and matched[2] else "texts"
            if matched is None or found[name] is not None:
                raise MonitoringSettingsError(
                    Phrase("a window is written as 200, 24h or 200,24h").text(), {"window": written[:40]}
                )
            found[name] = int(matched[1]) * _SECONDS.get(matched[2], 1)
        return cls(**found)

    def since(self, until: int) -> int:
        """The first moment of the window that ends at one."""
        return until - self.seconds * SECOND if self.seconds else 0


@dataclass(frozen=True, slots=True)
class RateQuery:
    """Which texts are asked about.

    Attributes:
        window: which of them, by number and time.
        agent: those of one agent alone; None for all.
        model: those of one model alone; None for all.
        until: the end of the window; None for the moment of the question.
    """

    window: Window = field(default_factory=Window)
    agent: str | None = None
    model: str | None = None
    until: Moment | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """How the texts of one agent, or of one model, ended in a window.

    Attributes:
        name: the agent's label or the model's name; empty for all of them together.
        texts: numbers of texts, and the rates made of them; `texts.repair_rate` is the one with thresholds.
        newest: when the newest of them was parsed.
    """

    name: str
    texts: RepairRate
    newest: Moment = 0

    @property
    def clean(self) -> int:
        """Texts that needed nothing."""
        return self.texts.parses - self.texts.repaired - self.texts.refused

    @property
    def level(self) -> RateLevel:
        """How the repair rate stands to the thresholds; normal where there are too few outputs to say."""
        return RateLevel.of(self.texts.repair_rate) if self.texts.outputs >= MINIMUM else RateLevel.NORMAL


class Share(NamedTuple):
    """How many texts of a window a stage refused, or a kind of repair was made in.

    Attributes:
        name: of the stage or the kind; empty for a refusal without a stage.
        texts: how many texts.
        parses: all texts of the window.
    """

    name: str
    texts: int
    parses: int

    @property
    def share(self) -> float:
        """Of all texts, 0..1."""
        return self.texts / self.parses if self.parses else 0.0


@dataclass(frozen=True, slots=True)
class Point(RepairRate):
    """The texts of one step of time, without their damage and kinds.

    Attributes:
        at: when the step begins.
    """

    at: Moment = 0


class StoreFacts(NamedTuple):
    """What a store holds.

    Attributes:
        oldest: when its oldest outcome was parsed; None where there is none.
        newest: as above, of the newest.
        writers: processes that have written to it.
        dropped: outcomes that were lost because a writer's queue was full or the store was away, of all writers.
    """

    oldest: Moment | None
    newest: Moment | None
    writers: int
    dropped: int
