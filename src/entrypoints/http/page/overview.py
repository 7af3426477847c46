"""What the page asks the store: few bounded questions, all about the same moment; and how the answers are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from src.modules.monitoring.domain.rate import SECOND, Clock, Moment, Point, Rate, RateQuery, Window, now, time_of
from src.shared.domain.one_line import one_line
from src.shared.domain.repair_rate import ALARM_ABOVE, MINIMUM, WARNING_AT, RateLevel

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
    from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms

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
ESCAPE = "\\"
"""What every escape of a name as it is shown begins with."""


def overview(filters: Filters, reading: ReadRates, alarms: WatchAlarms, clock: Clock = now) -> dict[str, Any]:
    """What the store says of some texts.

    Args:
        filters: which texts.
        reading: says what is in the store.
        alarms: the alarms in it.
        clock: says what time it is.

    Returns:
        `at`, the moment that it is said of; `points`, the series of all texts of the window, and `texts`, their number;
        `total`, their rate, `stages` and `kinds`, refusals by stage and repairs by kind, all three of the last
        `MOST_TEXTS`; `agents` of the chosen model and `models` of the chosen agent, of the last `MOST_OF_ONE` of each;
        `refusals`, the newest; `alarms` that stand, `events`, what was told of alarms; `facts`, how much there is.

    Raises:
        StoreError: the store cannot be asked.
    """
    facts, at = reading.facts(), clock()
    agent = _stored_name(filters.agent, reading.by_agent)
    model = _stored_name(filters.model, reading.by_model)
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
        "alarms": alarms.alarms(),
        "events": alarms.events(EVENTS),
        "facts": facts,
    }


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
    """What the template draws of the series of a window that ends at a moment.

    Returns:
        `begin`, `width` and `step`, where the window begins, how long it is and each step; `stretches`, the points
        without a gap between them; `top`, the highest share of the scale; `most`, the texts of the fullest step;
        `times`, the label of each tick, and at which part of the width it is.
    """
    step, width = filters.step * SECOND, filters.seconds * SECOND
    begin = until - width
    highest = max((max(point.repair_rate, point.refusal_rate) for point in points), default=0.0)
    in_a_row = groupby(enumerate(points), key=lambda one: one[1].at - one[0] * step)  # one step after another
    form = "%m-%d" if width > _DAYS * SECOND else "%H:%M"
    return {
        "begin": begin,
        "width": width,
        "step": step,
        "stretches": [[point for _, point in run] for _, run in in_a_row],
        "top": next(one for one in _NICE if one >= min(highest, 1.0)),
        "most": max((point.parses for point in points), default=0),
        "warning": WARNING_AT,
        "alarm": ALARM_ABOVE,
        "times": [
            (part / _TICKS, time_of(begin + width * part // _TICKS).strftime(form)) for part in range(_TICKS + 1)
        ],
    }
