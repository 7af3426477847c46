"""Where the library's log lines go, how much of a model's text a line may contain, and the lines of the parser.

A library does not print. Lines go to structlog once the application has configured it, else to the standard library's
logger `llm_output`. Its NullHandler keeps Python from writing to stderr if logging is not configured either. Of a text
the parser writes one WARNING for a failure, one INFO where it repaired or coerced, and nothing for clean output.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.one_line import well_formed
from src.shared.domain.repair import RepairKind

Level: TypeAlias = Literal["info", "warning"]

NAME = "llm_output"
"""Name of the logger, under structlog and under the standard library."""
EXCERPT_VARIABLE = "LLM_JSON_LOG_EXCERPT_CHARS"
"""Environment variable: most characters of raw output in a log line; 0 logs none of it."""
DEFAULT_EXCERPT = 200

_LEVELS: dict[Level, int] = {"info": logging.INFO, "warning": logging.WARNING}
_logger = logging.getLogger(NAME)
_logger.addHandler(logging.NullHandler())


def write(level: Level, event: str, facts: Callable[[], Mapping[str, Any]]) -> None:
    """Write one line.

    Args:
        level: how serious it is.
        event: its name.
        facts: makes the fields; not called if the standard logger would drop the line. No field may have the name
            of an attribute of `logging.LogRecord`.
    """
    if structlog_is_configured():
        getattr(_structlog_logger(), level)(event, **facts())
    elif _logger.isEnabledFor(_LEVELS[level]) and _is_heard():
        fields = facts()
        # repr: a line break or a lone surrogate in a value cannot break the line
        shown = " ".join(f"{name}={value!r}" for name, value in fields.items())
        _logger.log(_LEVELS[level], "%s %s", event, shown, extra={"event": event, **fields})


def without_debug(*loggers: str) -> None:
    """Keep what other packages write at level DEBUG out of every log: it holds whole requests, with their prompts.

    Args:
        loggers: by name; those under them are left alone.
    """
    for name in loggers:
        logging.getLogger(name).addFilter(_is_above_debug)  # adding it again does nothing


def _is_above_debug(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG


class _Kept:
    """The logger of structlog, with the processors that it was made for: making one takes longer than a line.

    Under `cache_logger_on_first_use` a logger stays with the configuration of its first line.
    """

    processors: object = None
    logger: Any = None


def _structlog_logger() -> Any:  # noqa: ANN401 - what the application has configured last
    import structlog  # noqa: PLC0415 - it imports rich where that is installed; the parser must not

    processors = structlog.get_config()["processors"]
    if _Kept.processors is not processors:
        _Kept.logger, _Kept.processors = structlog.get_logger(NAME), processors
    return _Kept.logger


def _is_heard() -> bool:
    """Whether a record would reach anything but the NullHandler: making one takes as long as reading a text."""
    logger: logging.Logger | None = _logger
    while logger:
        if logger.filters or any(not isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


def structlog_is_configured() -> bool:
    """Whether the application has configured structlog; it cannot have without importing it."""
    if sys.modules.get("structlog") is None:
        return False
    import structlog  # noqa: PLC0415 - costs nothing: it is loaded

    return structlog.is_configured()


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
    return well_formed(text)


def log_failure(error: LLMJsonParseError, raw: str, context_label: str) -> None:
    """Write `llm_json_parse_failed`; the message may quote a value: the bound on excerpts holds for it too."""
    write(
        "warning",
        "llm_json_parse_failed",
        lambda: {
            "context_label": context_label,
            "stage": error.details["stage"],
            "raw_length": error.details["raw_length"],
            "error": excerpt(error.message, excerpt_limit()),
            "excerpt": excerpt(raw, excerpt_limit()),
        },
    )


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
    write(
        "info",
        "llm_json_coerced",
        lambda: {
            "context_label": context_label,
            "coercions": sorted({one.kind.value for one in coercions}),
            "coercion_count": len(coercions),
        },
    )
