"""The parser's two log events: one WARNING a failure, one INFO a repaired value, nothing for clean output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write


def log_failure(error: LLMJsonParseError, raw: str, context_label: str) -> None:
    """Write `llm_json_parse_failed`."""

    def facts() -> dict[str, Any]:
        limit = excerpt_limit()  # the message may quote a value: without an excerpt it stays out of the log too
        return {
            "context_label": context_label,
            "stage": error.details["stage"],
            "raw_length": error.details["raw_length"],
            "error": excerpt(error.message, limit),
            "excerpt": excerpt(raw, limit),
        }

    write("warning", "llm_json_parse_failed", facts)


def log_repairs(counted: Callable[[], Mapping[RepairKind, int]], raw: str, context_label: str) -> None:
    """Write `llm_json_repaired`: how often which repair was made, which is counted only for a line that is written."""

    def facts() -> dict[str, Any]:
        kinds = counted()
        return {
            "context_label": context_label,
            "raw_length": len(raw),
            "repairs": sorted(kind.value for kind in kinds),
            "repair_count": sum(kinds.values()),
        }

    write("info", "llm_json_repaired", facts)
