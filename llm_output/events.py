"""What happens to each text and who is told, under a short name."""

from __future__ import annotations

from src.shared.application.reading import ObservedOutput
from src.shared.domain.ports.events import CallEnded
from src.shared.domain.repair_rate import RateScope, RepairRates
from src.shared.infrastructure.events.fan_out import FanOut, MemoryEvents
from src.shared.infrastructure.events.log import LogEvents, LogRepairRates

__all__ = [
    "CallEnded",
    "FanOut",
    "LogEvents",
    "LogRepairRates",
    "MemoryEvents",
    "ObservedOutput",
    "RateScope",
    "RepairRates",
]
