"""The output parser of LangChain, under a short name; needs the extra `langchain`."""

from __future__ import annotations

from src.integrations.langchain import UnifiedOutputParser

__all__ = [
    "UnifiedOutputParser",
]
