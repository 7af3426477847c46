"""The output parser of LlamaIndex, under a short name; needs the extra `llama-index`."""

from __future__ import annotations

from src.integrations.llama_index import (
    RefusedOutputError,
    UnifiedEvaluator,
    UnifiedOutputParser,
    UnifiedProgram,
    repair_tool_calls,
    typed_answers,
)

__all__ = [
    "RefusedOutputError",
    "UnifiedEvaluator",
    "UnifiedOutputParser",
    "UnifiedProgram",
    "repair_tool_calls",
    "typed_answers",
]
