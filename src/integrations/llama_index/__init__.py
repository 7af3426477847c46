"""The parser in the manner of LlamaIndex: an output parser, a program, and what query engines need."""

from __future__ import annotations

from src.shared.infrastructure.extras import needs_package

with needs_package("llama-index"):
    from src.integrations.llama_index.output_parser import RefusedOutputError, UnifiedOutputParser
    from src.integrations.llama_index.program import UnifiedProgram
    from src.integrations.llama_index.query_engine import UnifiedEvaluator, typed_answers

__all__ = ["RefusedOutputError", "UnifiedEvaluator", "UnifiedOutputParser", "UnifiedProgram", "typed_answers"]
