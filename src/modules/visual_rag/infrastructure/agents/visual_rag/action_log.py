"""Log events of the parser: one WARNING for a text without an action, one INFO for repaired JSON."""

from __future__ import annotations

from functools import partial
from typing import Any

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.problems import ActionProblem
from src.shared.domain.repair import how_often
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write

LABEL = "视觉检索"
"""The agent's title, written as `context_label`."""


def log_action(parsed: ParsedAction, text: str) -> None:
    """Write `visual_rag_no_action` or `llm_json_repaired`, where there is something to say."""
    if parsed.problem:
        write("warning", "visual_rag_no_action", partial(_problem_facts, parsed.problem, text))
    elif parsed.repairs:
        write("info", "llm_json_repaired", partial(_repair_facts, parsed, text))


def _problem_facts(problem: ActionProblem, text: str) -> dict[str, Any]:
    limit = excerpt_limit()
    return {
        "context_label": LABEL,
        "problem": problem.kind.value,
        "error": excerpt(problem.message, limit),
        "raw_length": len(text),
        "excerpt": excerpt(text, limit),
    }


def _repair_facts(parsed: ParsedAction, text: str) -> dict[str, Any]:
    return {
        "context_label": LABEL,
        "raw_length": len(text),
        "repairs": sorted({repair.kind.value for repair in parsed.repairs}),
        "repair_count": how_often(parsed.repairs).total(),
    }
