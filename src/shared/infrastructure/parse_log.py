"""The parser's two log events: one WARNING a failure, one INFO a repaired value, nothing for clean output."""

from __future__ import annotations

import os
from collections.abc import Mapping

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind

EXCERPT_VARIABLE = "LLM_JSON_LOG_EXCERPT_CHARS"
"""Environment variable: most characters of raw output in a log line; 0 logs none of it."""
DEFAULT_EXCERPT = 200


def log_failure(error: LLMJsonParseError, raw: str, context_label: str) -> None:
    """Write `llm_json_parse_failed`."""
    limit = excerpt_limit()  # a message may quote a value: with the excerpt turned off it stays out of the log too
    import structlog  # noqa: PLC0415 - structlog imports rich where it is installed; the parser must not

    structlog.get_logger(__name__).warning(
        "llm_json_parse_failed",
        context_label=context_label,
        stage=error.details["stage"],
        raw_length=error.details["raw_length"],
        error=excerpt(error.message, limit),
        excerpt=excerpt(raw, limit),
    )


def log_repairs(kinds: Mapping[RepairKind, int], raw: str, context_label: str) -> None:
    """Write `llm_json_repaired`, where there is something to say: how often which repair was made."""
    if not kinds:
        return
    import structlog  # noqa: PLC0415 - as above

    structlog.get_logger(__name__).info(
        "llm_json_repaired",
        context_label=context_label,
        raw_length=len(raw),
        repairs=sorted(kind.value for kind in kinds),
        repair_count=sum(kinds.values()),
    )


def excerpt_limit() -> int:
    """The configured bound; the default where the variable is unset or not a number."""
    value = os.environ.get(EXCERPT_VARIABLE, "")
    return int(value) if value.isdecimal() else DEFAULT_EXCERPT


def excerpt(text: str, limit: int) -> str:
    """At most `limit` characters: the head and the tail of a longer text, and always encodable."""
    if len(text) > limit:
        head = (limit * 2) // 3
        tail = limit - head - 1
        text = text[:head] + "…" + text[-tail:] if tail > 0 else text[:limit]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
