"""The store of outcomes and its alarms, under a short name; needs the extra `serve`."""

from __future__ import annotations

from src.modules.monitoring.container import read_rates, record_outcomes
from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.infrastructure.webhook import HttpWebhook

__all__ = [
    "AlarmEvent",
    "AlarmKind",
    "HttpWebhook",
    "read_rates",
    "record_outcomes",
]
