"""Log events of the parser: one WARNING for a text without an action, one INFO for repaired JSON."""

from __future__ import annotations

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.shared.domain.repair import how_often
from src.shared.infrastructure.parse_log import excerpt, excerpt_limit

LABEL = "视觉检索"
"""The agent's title, written as `context_label`."""


def log_action(parsed: ParsedAction, text: str) -> None:
    """Write `visual_rag_no_action` or `llm_json_repaired`, where there is something to say."""
    if parsed.problem is None and not parsed.repairs:
        return
    import structlog  # noqa: PLC0415 - structlog imports rich where it is installed; the parser must not

    log = structlog.get_logger(__name__)
    if parsed.problem:
        limit = excerpt_limit()
        log.warning(
            "visual_rag_no_action",
            context_label=LABEL,
            problem=parsed.problem.kind.value,
            error=excerpt(parsed.problem.message, limit),
            raw_length=len(text),
            excerpt=excerpt(text, limit),
        )
    else:
        kinds = sorted({repair.kind.value for repair in parsed.repairs})
        log.info(
            "llm_json_repaired",
            context_label=LABEL,
            raw_length=len(text),
            repairs=kinds,
            repair_count=how_often(parsed.repairs).total(),
        )
