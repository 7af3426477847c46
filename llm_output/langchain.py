"""The output parser and the repair of tool calls of LangChain, under a short name; needs the extra `langchain`."""

from __future__ import annotations

from src.integrations.langchain import RepairedToolCalls, UnifiedOutputParser

__all__ = [
    "RepairedToolCalls",
    "UnifiedOutputParser",
]
