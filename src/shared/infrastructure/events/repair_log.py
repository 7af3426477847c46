"""The repair agent's log event: one line for every repair, accepted or refused."""

from __future__ import annotations

from functools import partial
from typing import Any

from src.shared.domain.difference import Difference
from src.shared.domain.ports.repairs import RepairAttempted
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write


class RepairLog:
    """Writes `llm_json_repair_agent`: INFO for an accepted answer, WARNING for a refused one.

    The difference quotes a few characters of both texts; the bound on excerpts holds for it, too.
    """

    def repair_attempted(self, event: RepairAttempted) -> None:
        """Write one line."""
        write("info" if event.accepted else "warning", "llm_json_repair_agent", partial(_facts, event))


def _facts(event: RepairAttempted) -> dict[str, Any]:
    return {
        "accepted": event.accepted,
        "code": event.code,
        "before_chars": event.before_chars,
        "after_chars": event.after_chars,
        "damage": list(event.damage),
        "difference": _difference(event.difference),
        "model": event.model,
        "prompt_tokens": event.usage.prompt_tokens,
        "completion_tokens": event.usage.completion_tokens,
        "latency": event.latency,
    }


def _difference(difference: Difference | None) -> dict[str, str | int] | None:
    if difference is None:
        return None
    limit = excerpt_limit()
    facts = difference.facts()
    return facts | {key: excerpt(str(facts[key]), limit) for key in ("path", "found", "answered")}
