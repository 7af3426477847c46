"""Events in the log, and the warning about too many repairs. No part of a text is in either."""

from __future__ import annotations

from functools import partial
from typing import Any

from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.repair_rates import RepairRateWarning
from src.shared.infrastructure.events.library_log import Level, write

_NOTABLE = frozenset({ParseOutcome.MODEL_REPAIRED, ParseOutcome.REFUSED})


class LogEvents:
    """Writes `llm_output_parsed`: INFO for a text the parser read, WARNING where it gave up.

    Publish through `FanOut`: a log that cannot be written raises.
    """

    def publish(self, event: OutputParsed) -> None:
        """Write one line."""
        level: Level = "warning" if event.outcome in _NOTABLE else "info"
        write(level, "llm_output_parsed", partial(_parse_facts, event))


class LogRepairRates:
    """Writes `llm_repair_rate_crossed`, a WARNING for either threshold; `severity` says which."""

    def crossed(self, warning: RepairRateWarning) -> None:
        """Write one line."""
        write("warning", "llm_repair_rate_crossed", partial(_rate_facts, warning))


def _rate_facts(warning: RepairRateWarning) -> dict[str, Any]:
    return {
        "scope": warning.scope.value,
        "subject": warning.name,
        "severity": warning.level.name.lower(),
        "threshold": warning.threshold,
        "repair_rate": round(warning.rate.repair_rate, 4),
        "parses": warning.rate.parses,
        "repaired": warning.rate.repaired,
        "model_repaired": warning.rate.model_repaired,
        "refused": warning.rate.refused,
        "damage": {kind.value: count for kind, count in warning.rate.kinds},
        "explanation": warning.message,
    }


def _parse_facts(event: OutputParsed) -> dict[str, Any]:
    return {
        "context_label": event.context_label,
        "outcome": event.outcome.value,
        "model": event.model,
        "prompt_id": event.prompt_id,
        "attempt": event.attempt,
        "stages": list(event.stages),
        "repairs": sorted({kind.value for kind in event.repair_kinds}),
        "repair_count": len(event.repair_kinds),
        "raw_length": event.raw_length,
        "prompt_tokens": event.usage.prompt_tokens,
        "completion_tokens": event.usage.completion_tokens,
        "reasoning_tokens": event.usage.reasoning_tokens,
        "latency": event.latency,
    }
