"""Rates: what share of the texts of a window ended how, and which texts those are."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.shared.domain.language import Phrase
from src.shared.domain.ports.repair_rates import RateLevel, RepairRate
from src.shared.domain.repair_rate import MINIMUM, WINDOW

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
                raise MonitoringSettingsError(
                    Phrase("a window is written as 200, 24h or 200,24h").text(), {"window": written[:40]}
                )
        return cls(texts, seconds)

    def since(self, until: int) -> int:
        """The first moment of the window that ends at one."""
        return until - self.seconds * SECOND if self.seconds else 0


class ShareOf(StrEnum):
    """What texts are counted by, besides agent and model."""

    STAGE = "stage"
    """Refused texts by the stage that refused them."""
    KIND = "kind"
    """Repaired texts by kind of repair; a text with several kinds counts for each."""


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


@dataclass(frozen=True, slots=True)
class Share:
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
class Point:
    """The texts of one step of time.

    Attributes:
        at: when the step begins.
        parses: texts parsed in it.
        asked: those the repair agent asked a model about.
        repaired: those that were read with repairs.
        refused: those that were not read.
        re_asked: those that answered a re-ask.
    """

    at: Moment
    parses: int
    asked: int
    repaired: int
    refused: int
    re_asked: int = 0

    @property
    def texts(self) -> RepairRate:
        """The same as a rate."""
        return RepairRate(self.parses, self.asked, self.repaired, refused=self.refused, re_asked=self.re_asked)

    @property
    def repair_rate(self) -> float:
        """`asked` among all outputs, 0..1; 0 where there are none."""
        return self.texts.repair_rate


@dataclass(frozen=True, slots=True)
class StoreFacts:
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
