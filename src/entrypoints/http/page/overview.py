"""What the page asks the store: few bounded questions, all about the same moment; and how the answers are drawn."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

from src.modules.monitoring.domain.exceptions import StoreError
from src.modules.monitoring.domain.rate import SECOND, Clock, Moment, Point, Rate, RateQuery, Window, now, time_of
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms
from src.shared.domain.one_line import one_line
from src.shared.domain.repair_rate import ALARM_ABOVE, MINIMUM, WARNING_AT, RateLevel

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
    def of(cls, parameters: Mapping[str, str]) -> Filters:
        """The filters of a request's parameters; an unknown window is the default."""
        window = parameters.get("window", DEFAULT)
        names = (parameters.get(name, "")[:NAME] for name in ("agent", "model"))
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

    def address(self, **changes: str) -> str:
        """The page's address with these filters and some others: a query to be appended to its path."""
        parameters = {"window": self.window, "agent": self.agent, "model": self.model} | changes
        return "?" + urlencode({name: value for name, value in parameters.items() if value})


def displayed_name(name: str) -> str:
    """A name on one line, without a character that shows nothing or turns the writing."""
    return one_line(name, NAME)


MOST_TEXTS = 50_000
"""Texts that shares are counted over: of more in the window the last ones."""
MOST_OF_ONE = 5_000
"""Texts of each agent and each model that its rate is counted over, as above."""
REFUSALS, EVENTS = 20, 8
"""Refusals, and alarm events, that are shown: the newest."""
KEPT_SECONDS = 3.0
"""How long an answer is given to others who ask the same, at least."""
KEPT_TIMES = 10
"""And so many times as long as it took: however many look on, counting takes a tenth of a processor."""
MOST_KEPT = 64
"""Answers that are kept for others."""
ESCAPE = "\\"
"""What every escape of a name as it is shown begins with."""
Overview: TypeAlias = "dict[str, Any] | StoreError"
"""What the store says, or why it cannot be asked.

`at` is the moment that it is said of, `points` the series of all texts of the window, `texts` their number; `total`
their rate, `stages` and `kinds` refusals by stage and repairs by kind, all three of the last `MOST_TEXTS`; `agents` of
the chosen model and `models` of the chosen agent, of the last `MOST_OF_ONE` of each; `refusals` the newest, `alarms`
those that stand, `events` what was told of alarms, `facts` how much there is.
"""


class _Kept:
    """An answer, while others may be given it."""

    def __init__(self) -> None:
        self.lock, self.until = threading.Lock(), 0.0
        self.answer: Overview = {}


class Overviews:
    """Asks the store for those who look at the page; who asks the same at about the same time is told the same."""

    def __init__(self, reading: ReadRates, alarms: WatchAlarms | None, clock: Clock = now) -> None:
        """Ask a store.

        Args:
            reading: says what is in it.
            alarms: the alarms in it; None leaves them out.
            clock: says what time it is.
        """
        self._reading, self._alarms, self._clock = reading, alarms, clock
        self._kept: OrderedDict[Filters, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, filters: Filters) -> Overview:
        """What the store says, or why it cannot be asked. Any thread may call it, and waits as long as it takes."""
        with self._lock:
            kept = self._kept.setdefault(filters, _Kept())
            self._kept.move_to_end(filters)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        with kept.lock:
            began = time.monotonic()
            if began >= kept.until:
                try:
                    kept.answer = self._ask(filters)
                except StoreError as error:
                    kept.answer = error
                took = time.monotonic() - began
                kept.until = began + took + max(KEPT_SECONDS, took * KEPT_TIMES)
            return kept.answer

    def _ask(self, filters: Filters) -> dict[str, Any]:
        reading, at = self._reading, self._clock()
        facts = reading.facts()
        agent = self._stored_name(filters.agent, reading.by_agent)
        model = self._stored_name(filters.model, reading.by_model)
        points = reading.series(filters.query(agent, model, at), filters.step)
        chosen = filters.query(agent, model, at, MOST_TEXTS)
        return {
            "at": at,
            "points": points,
            "texts": sum(point.parses for point in points),
            "total": reading.total(chosen),
            "agents": reading.by_agent(filters.query(None, model, at, MOST_OF_ONE)),
            "models": reading.by_model(filters.query(agent, None, at, MOST_OF_ONE)),
            "stages": reading.by_stage(chosen),
            "kinds": reading.by_kind(chosen),
            "refusals": reading.refusals(chosen, REFUSALS),
            "alarms": self._alarms.alarms() if self._alarms else (),
            "events": self._alarms.events(EVENTS) if self._alarms else (),
            "facts": facts,
        }

    @staticmethod
    def _stored_name(displayed: str, rates: Callable[[RateQuery], tuple[Rate, ...]]) -> str | None:
        """The name that is displayed so, None for all; only one with an escape in it has to be looked up."""
        names = [rate.name for rate in rates(RateQuery(Window(1)))] if ESCAPE in displayed else ()
        return next((name for name in names if displayed_name(name) == displayed), displayed) or None


ROWS = 100
"""Agents, and models, that are listed: those with the highest repair rate."""
BARS = 12
"""Stages, and kinds of repair, that are listed: the most frequent."""
EXCERPT = 240
"""Characters of a refused text that are shown, where texts are stored."""
_NICE = (0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
_TICKS = 6
_DAYS = 2 * 86_400


def ranked_rates(rates: Sequence[Rate]) -> list[Rate]:
    """The highest repair rate first; of the same rates the one with more texts."""
    return sorted(rates, key=lambda rate: (-rate.level, -rate.texts.repair_rate, -rate.texts.parses, rate.name))


def counts_by_outcome(rate: Rate) -> dict[str, int]:
    """How many texts ended how, in the order of the columns."""
    texts = rate.texts
    return {
        "clean": rate.clean,
        "repaired": texts.repaired - texts.model_repaired,
        "model_repaired": texts.model_repaired,
        "refused": texts.refused,
    }


def level(rate: Rate) -> str:
    """How a rate stands to the thresholds: `normal`, `warning`, `alarm`; `few` where there are too few texts."""
    is_few = rate.texts.outputs < MINIMUM and RateLevel.of(rate.texts.repair_rate)
    return "few" if is_few else rate.level.name.lower()


def chart_of(points: Sequence[Point], filters: Filters, until: Moment) -> dict[str, Any]:
    """The series as the server draws it, in percent of the picture from its upper left corner.

    Returns:
        `lines` and `refused`: the points of each unbroken stretch of the repair rate and of the refused share, as SVG
        has them; `dots`: stretches of one step; `columns`: beginning, width and parts of each step; `shares` and
        `times`: place and label of each tick; `warning` and `alarm`: the thresholds; `most`: texts of the fullest step.
    """
    step, width = filters.step * SECOND, filters.seconds * SECOND
    begin = until - width
    highest = max((max(point.repair_rate, _refused_share(point)) for point in points), default=0.0)
    top = next(one for one in _NICE if one >= min(highest, 1.0))
    most = max((point.parses for point in points), default=0)

    def x_of(moment: Moment) -> float:
        return round(min(max((moment - begin) / width, 0.0), 1.0) * 100, 2)

    def y_of(share: float) -> float:
        return round((1 - share / top) * 100, 2)

    def column(point: Point) -> tuple[float, float, list[tuple[str, float, float]]]:
        parts, below = [], 100.0
        clean = point.parses - point.repaired - point.refused
        for name, texts in (("clean", clean), ("repaired", point.repaired), ("refused", point.refused)):
            height = texts / most * 100
            below -= height
            parts.append((name, round(below, 2), round(height, 2)))
        start, end = x_of(point.at), x_of(point.at + step)
        return start, round(max((end - start) * 0.86, 0.2), 2), parts

    stretches = [
        [(x_of(point.at + step // 2), y_of(point.repair_rate), y_of(_refused_share(point))) for _, point in run]
        for _, run in groupby(enumerate(points), key=lambda one: one[1].at - one[0] * step)  # one step after another
    ]
    form = "%m-%d" if width > _DAYS * SECOND else "%H:%M"
    ticks = [(part / _TICKS, time_of(begin + width * part // _TICKS)) for part in range(_TICKS + 1)]
    return {
        "lines": [" ".join(f"{x},{asked}" for x, asked, _ in one) for one in stretches],
        "refused": [" ".join(f"{x},{refused}" for x, _, refused in one) for one in stretches],
        "dots": [one[0][:2] for one in stretches if len(one) == 1],
        "columns": [column(point) for point in points],
        "shares": [(y_of(top * part / 3), f"{top * part / 3:.0%}") for part in range(4)],
        "times": [(round(part * 100, 2), moment.strftime(form)) for part, moment in ticks],
        "warning": y_of(WARNING_AT),
        "alarm": y_of(ALARM_ABOVE),
        "most": most,
    }


def _refused_share(point: Point) -> float:
    return point.refused / point.parses if point.parses else 0.0
