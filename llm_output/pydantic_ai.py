"""The output type of pydantic-ai, under a short name; needs the extra `pydantic-ai`."""

from __future__ import annotations

from src.integrations.pydantic_ai import output_instructions, stream_snapshots, unified_output

__all__ = [
    "output_instructions",
    "stream_snapshots",
    "unified_output",
]
