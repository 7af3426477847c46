"""What the templates show of the store: counts, shares and times as they are read, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from src.entrypoints.http.page.drawing import Drawing, drawing
from src.entrypoints.http.page.overview import MOST_OF_ONE, MOST_TEXTS, Filters, Overview, name_shown
from src.entrypoints.reports.batch.drawing import Part
from src.entrypoints.reports.batch.words import grouped, share
from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.outcome import Outcome
from src.modules.monitoring.domain.rate import Point, Rate, Share
from src.modules.monitoring.domain.window import Moment, time_of
from src.shared.domain.ports.repair_rates import RateLevel
from src.shared.domain.repair_rate import MINIMUM

ROWS = 100
"""Agents, and models, that are listed: those with the highest repair rate."""
BARS = 12
"""Stages, and kinds of repair, that are listed: the most frequent."""
EXCERPT = 240
"""Characters of a refused text that are shown, where texts are stored."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A count, and what share of the whole it is."""

    count: str
    share: str


@dataclass(frozen=True, slots=True)
class RateView:
    """How the texts of an agent, of a model, or of all ended.

    Attributes:
        name: of the agent or the model.
        address: of the page for it alone; for all, where it is chosen.
        is_chosen: whether it is the filter's.
        texts: how many.
        is_last: whether there were more, and only the last ones are counted.
        cells: by outcome, in the order of the columns.
        parts: the same as a bar.
        rate: the repair rate.
        level: how it stands to the thresholds: `normal`, `warning`, `alarm`; `few` where there are too few texts.
    """

    name: str
    address: str
    is_chosen: bool
    texts: str
    is_last: bool
    cells: tuple[tuple[str, Cell], ...]
    parts: tuple[Part, ...]
    rate: Cell
    level: str


@dataclass(frozen=True, slots=True)
class BarView:
    """One line of a list of bars; `width` is in percent of the longest."""

    name: str
    cell: Cell
    width: float


@dataclass(frozen=True, slots=True)
class When:
    """A moment for a reader, and for programs."""

    shown: str
    iso: str


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of the series, for the table and for the chart.

    Attributes:
        when: where it begins.
        at: the same in milliseconds since 1970.
        numbers: texts, outputs, texts with a question of the repair agent's, repaired, refused.
        cells: of the last three.
    """

    when: When
    at: int
    numbers: tuple[int, int, int, int, int]
    texts: str
    cells: tuple[Cell, Cell, Cell]


@dataclass(frozen=True, slots=True)
class RefusalView:
    """A refused text; `excerpt` is None where texts are not stored."""

    when: When
    stage: str
    agent: str
    model: str
    length: str
    code: str
    excerpt: str | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class AlarmView:
    """An alarm that stands, or an event: `kind` is `warning`, `alarm` or `recovery`."""

    kind: str
    scope: str
    name: str
    when: When
    rate: Cell | None = None


@dataclass(frozen=True, slots=True)
class OverviewView:
    """All of it.

    Attributes:
        when: the moment it is said of.
        step: seconds of a step of the series.
        texts: all texts of the window.
        counted: those that the shares are counted over, where these are fewer; else empty.
        total: the rate of all of them.
        steps: the series, oldest first.
        chart: the same as a picture.
        agents: by agent.
        models: by model.
        more_agents: agents that are not listed.
        more_models: models that are not listed.
        stages: refusals by stage.
        kinds: repairs by kind.
        refusals: the newest.
        alarms: those that stand.
        events: what was told of alarms.
        dropped: outcomes that were lost; empty where none were.
        highest: the highest repair rate of a step.
    """

    when: When
    step: int
    texts: str
    counted: str
    total: RateView
    steps: tuple[StepView, ...]
    chart: Drawing
    agents: tuple[RateView, ...]
    models: tuple[RateView, ...]
    more_agents: int
    more_models: int
    stages: tuple[BarView, ...]
    kinds: tuple[BarView, ...]
    refusals: tuple[RefusalView, ...]
    alarms: tuple[AlarmView, ...]
    events: tuple[AlarmView, ...]
    dropped: str
    highest: str


def overview_view(found: Overview, filters: Filters) -> OverviewView:
    """What the store says, as the page shows it."""
    agents, models = ([*filter_rows(rates)] for rates in (found.agents, found.models))
    highest = max(found.points, key=lambda point: point.repair_rate, default=None)
    return OverviewView(
        when=when(found.at),
        step=filters.step,
        texts=grouped(found.texts),
        counted=grouped(MOST_TEXTS) if found.texts > found.total.texts.parses else "",
        total=_rate(found.total, filters.address(), is_chosen=False, most=MOST_TEXTS),
        steps=tuple(map(_step, found.points)),
        chart=drawing(found.points, filters, found.at),
        agents=tuple(_named(rate, "agent", filters) for rate in agents[:ROWS]),
        models=tuple(_named(rate, "model", filters) for rate in models[:ROWS]),
        more_agents=max(0, len(agents) - ROWS),
        more_models=max(0, len(models) - ROWS),
        stages=_bars(found.stages),
        kinds=_bars(found.kinds),
        refusals=tuple(map(_refusal, found.refusals)),
        alarms=tuple(
            AlarmView(alarm.level.name.lower(), alarm.scope.value, name_shown(alarm.name), when(alarm.since))
            for alarm in found.alarms
        ),
        events=tuple(map(_event, found.events)),
        dropped=grouped(found.facts.dropped) if found.facts.dropped else "",
        highest=share(highest.asked, highest.texts.outputs) if highest else "",
    )


def filter_rows(rates: Sequence[Rate]) -> list[Rate]:
    """The highest repair rate first; of the same rates the one with more texts."""
    return sorted(rates, key=lambda rate: (-rate.level, -rate.texts.repair_rate, -rate.texts.parses, rate.name))


def when(moment: Moment) -> When:
    """A moment as it is shown, in UTC."""
    time = time_of(moment)
    return When(f"{time:%m-%d %H:%M:%S}", f"{time:%Y-%m-%dT%H:%M:%SZ}")


def _named(rate: Rate, scope: str, filters: Filters) -> RateView:
    name = name_shown(rate.name)
    chosen = filters.agent if scope == "agent" else filters.model
    is_chosen = bool(name) and name == chosen
    address = filters.address(**{scope: "" if is_chosen else name})
    return _rate(rate, address, is_chosen=is_chosen, most=MOST_OF_ONE)


def _rate(rate: Rate, address: str, *, is_chosen: bool, most: int) -> RateView:
    texts = rate.texts
    counts = {
        "clean": rate.clean,
        "repaired": texts.repaired - texts.model_repaired,
        "model_repaired": texts.model_repaired,
        "refused": texts.refused,
    }
    is_few = texts.outputs < MINIMUM and RateLevel.of(texts.repair_rate)
    return RateView(
        name=name_shown(rate.name),
        address=address,
        is_chosen=is_chosen,
        texts=grouped(texts.parses),
        is_last=texts.parses >= most,
        cells=tuple((tone, _cell(count, texts.parses)) for tone, count in counts.items()),
        parts=_parts(counts, texts.parses),
        rate=_cell(texts.asked, texts.outputs),
        level="few" if is_few else rate.level.name.lower(),
    )


def _cell(count: int, whole: int) -> Cell:
    return Cell(grouped(count), share(count, whole))


def _parts(counts: dict[str, int], whole: int) -> tuple[Part, ...]:
    parts, start = [], 0
    for tone, count in counts.items():
        if count:
            parts.append(Part(tone, round(start / whole * 100, 2), round(count / whole * 100, 2)))
        start += count
    return tuple(parts)


def _bars(shares: Sequence[Share]) -> tuple[BarView, ...]:
    longest = max((one.texts for one in shares), default=1)
    return tuple(
        BarView(name_shown(one.name), _cell(one.texts, one.parses), round(one.texts / longest * 100, 2))
        for one in shares[:BARS]
    )


def _step(point: Point) -> StepView:
    outputs = point.texts.outputs
    repaired, refused = (_cell(count, point.parses) for count in (point.repaired, point.refused))
    cells = _cell(point.asked, outputs), repaired, refused
    numbers = (point.parses, outputs, point.asked, point.repaired, point.refused)
    return StepView(when(point.at), point.at // 1_000, numbers, grouped(point.parses), cells)


def _refusal(one: Outcome) -> RefusalView:
    return RefusalView(
        when(one.at),
        name_shown(one.stage),
        name_shown(one.agent),
        name_shown(one.model),
        grouped(one.length),
        name_shown(one.repair_code),
        None if one.text is None else one.text[:EXCERPT],
        one.text is not None and one.length > EXCERPT,
    )


def _event(event: AlarmEvent) -> AlarmView:
    rate = _cell(event.asked, event.parses)
    return AlarmView(event.kind.value, event.scope.value, name_shown(event.name), when(event.at), rate)
