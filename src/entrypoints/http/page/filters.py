"""What a reader of the page asks for: a window of time, an agent, a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from src.modules.monitoring.domain.moment import SECOND, Moment
from src.modules.monitoring.domain.rate import RateQuery
from src.modules.monitoring.domain.window import Window
from src.shared.domain.one_line import one_line

WINDOWS: Final = {"1h": (3_600, 60), "24h": (86_400, 900), "7d": (604_800, 3_600), "30d": (2_592_000, 14_400)}
"""Seconds of each window, and of a step of its series: at most 181 steps."""
DEFAULT = "24h"
NAME = 200
"""Most characters of a name as it is shown; the store keeps no longer ones."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which texts are asked about.

    Attributes:
        window: one of `WINDOWS`.
        agent: as it is shown; empty for all.
        model: the same.
    """

    window: str = DEFAULT
    agent: str = ""
    model: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Filters:
        """The filters of a request's parameters; a window that is none is the default."""
        window = given.get("window", DEFAULT)
        names = (given.get(name, "")[:NAME] for name in ("agent", "model"))
        return cls(window if window in WINDOWS else DEFAULT, *names)

    @property
    def seconds(self) -> int:
        """How far back the window reaches."""
        return WINDOWS[self.window][0]

    @property
    def step(self) -> int:
        """Seconds of a step of the series."""
        return WINDOWS[self.window][1]

    def query(self, agent: str | None, model: str | None, until: Moment, texts: int | None = None) -> RateQuery:
        """The question to the store about these texts."""
        return RateQuery(Window(texts, self.seconds), agent, model, until)

    def begin(self, until: Moment) -> Moment:
        """When the window begins that ends at a moment."""
        return until - self.seconds * SECOND

    def address(self, **changes: str) -> str:
        """The page's address with these filters and some others: a query to be appended to its path."""
        given = {"window": self.window, "agent": self.agent, "model": self.model} | changes
        return "?" + urlencode({name: value for name, value in given.items() if value})


def name_shown(name: str) -> str:
    """A name on one line, without a character that shows nothing or turns the writing."""
    return one_line(name, NAME)


def name_meant(shown: str, names: Iterable[str]) -> str | None:
    """The name that is shown so: one of these, else what is written; None for all."""
    if not shown:
        return None
    return next((name for name in names if name_shown(name) == shown), shown)
