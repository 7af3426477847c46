"""Rates and alarms as JSON: the command line and the service say it in the same words."""

from __future__ import annotations

from typing import Any

from src.modules.monitoring.domain.alarm import Alarm, AlarmEvent
from src.modules.monitoring.domain.moment import Moment, time_of
from src.modules.monitoring.domain.rate import Rate, Share

_DIGITS = 6


def rate_json(rate: Rate) -> dict[str, Any]:
    """Numbers of texts of one agent or model, and what share of them ended how."""
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
        "kinds": {kind.value: count for kind, count in texts.kinds},
        "damage": dict(texts.damage),
        "newest": moment_json(rate.newest),
    }


def share_json(share: Share) -> dict[str, Any]:
    """How many texts a stage refused, or a kind of repair was made in."""
    return {"name": share.name, "texts": share.texts, "of": share.parses, "share": round(share.share, _DIGITS)}


def alarm_json(alarm: Alarm) -> dict[str, Any]:
    """How a rate stands."""
    facts = {"scope": alarm.scope.value, "name": alarm.name, "level": alarm.level.name.lower()}
    return {**facts, "since": moment_json(alarm.since)}


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
