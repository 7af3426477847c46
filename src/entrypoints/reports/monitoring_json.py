"""Rates and alarms as JSON: the command line and the service say it in the same words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from src.entrypoints.reports.grouping import Grouping
from src.modules.monitoring.domain.alarm import Alarm, AlarmEvent
from src.modules.monitoring.domain.rate import Moment, Rate, RateQuery, Share, Window, time_of

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.store.read_rates import ReadRates

_DIGITS = 6


def rate_json(rate: Rate | Share) -> dict[str, Any]:
    """Numbers of texts of one agent or model, and what share of them ended how; or of one stage or kind of repair."""
    if isinstance(rate, Share):
        return {"name": rate.name, "texts": rate.texts, "of": rate.parses, "share": round(rate.share, _DIGITS)}
    texts = rate.texts
    return {
        "name": rate.name,
        "texts": texts.parses,
        "clean": rate.clean,
        "repaired": texts.repaired,
        "model_repaired": texts.model_repaired,
        "refused": texts.refused,
        "asked": texts.asked,
        "re_asked": texts.re_asked,
        "repair_rate": round(texts.repair_rate, _DIGITS),
        "level": rate.level.name.lower(),
        "kinds": dict(texts.kinds),
        "damage": dict(texts.damage),
        "newest": moment_json(rate.newest),
    }


def alarm_json(alarm: Alarm) -> dict[str, Any]:
    """How a rate stands."""
    return asdict(alarm) | {"level": alarm.level.name.lower(), "since": moment_json(alarm.since)}


def alarm_event_json(event: AlarmEvent) -> dict[str, Any]:
    """A crossing, or a recovery."""
    return {
        "id": event.id,
        "at": moment_json(event.at),
        "kind": event.kind.value,
        "scope": event.scope.value,
        "name": event.name,
        "texts": event.parses,
        "asked": event.asked,
        "repair_rate": round(event.repair_rate, _DIGITS),
        "message": event.message,
    }


def moment_json(moment: Moment) -> str:
    """A moment as RFC 3339 has it, in UTC, to the millisecond."""
    return time_of(moment).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class RatesAnswer:
    """What the store says.

    Attributes:
        by: what was asked.
        window: as it was written.
        rates: of agents or models, or shares of stages or kinds.
        dropped: outcomes that are not counted, since they were lost.
    """

    by: Grouping
    window: str
    rates: Sequence[Rate | Share] = ()
    dropped: int = 0

    def json(self) -> dict[str, Any]:
        """The answer for programs."""
        shown = [rate_json(rate) for rate in self.rates]
        return {"by": self.by.value, "window": self.window, "dropped": self.dropped, "rates": shown}


def answer_of(
    reading: ReadRates, by: Grouping, window: str, agent: str | None = None, model: str | None = None
) -> RatesAnswer:
    """Ask a store.

    Args:
        reading: the store.
        by: what rates are taken by.
        window: which texts, as `Window.of` reads it.
        agent: those of one agent alone, by its label.
        model: those of one model alone.

    Raises:
        MonitoringSettingsError: the window is written in another way.
        StoreError: the store cannot be asked.
    """
    asked: Callable[[RateQuery], Sequence[Rate | Share]] = getattr(reading, f"by_{by.value}")
    query = RateQuery(Window.of(window), agent, model)
    dropped = reading.facts().dropped
    return RatesAnswer(by, window, asked(query), dropped)
