"""The parser's log events: one WARNING a failure, one INFO a repaired or coerced value, nothing for clean output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.language import VARIABLE, Language, unknown_language
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write

_VALUE_LIMIT = 40
_told: set[str] = set()


def log_failure(error: LLMJsonParseError, raw: str, context_label: str) -> None:
    """Write `llm_json_parse_failed`, and before it, once, that the language asked for is unknown."""
    _warn_of_unknown_language()

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


def log_repairs(
    counted: Callable[[], Mapping[RepairKind, int]], graded: Callable[[], Grade], raw: str, context_label: str
) -> None:
    """Write `llm_json_repaired`: how often which repair was made, and the grade, worked out for a line only."""

    def facts() -> dict[str, Any]:
        kinds = counted()
        return {
            "context_label": context_label,
            "raw_length": len(raw),
            "repairs": sorted(kind.value for kind in kinds),
            "repair_count": sum(kinds.values()),
            "grade": graded().value,
        }

    write("info", "llm_json_repaired", facts)


def log_coercions(coercions: Sequence[Coercion], context_label: str) -> None:
    """Write `llm_json_coerced`: which kinds of coercions, and how many; no value."""

    def facts() -> dict[str, Any]:
        return {
            "context_label": context_label,
            "coercions": sorted({one.kind.value for one in coercions}),
            "coercion_count": len(coercions),
        }

    write("info", "llm_json_coerced", facts)


def _warn_of_unknown_language() -> None:
    """Write `llm_json_unknown_language`, once for each value the variable has had."""
    value = unknown_language()
    if value is None or value in _told:
        return
    _told.add(value)
    fields = {"variable": VARIABLE, "value": excerpt(value, _VALUE_LIMIT), "known": [*map(str, Language)]}
    write("warning", "llm_json_unknown_language", lambda: fields)
