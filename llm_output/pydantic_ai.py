"""The output type and the capability of pydantic-ai, under a short name; needs the extra `pydantic-ai`."""

from __future__ import annotations

from src.integrations.pydantic_ai import RepairedToolCalls, output_instructions, stream_snapshots, unified_output

__all__ = [
    "RepairedToolCalls",
    "output_instructions",
    "stream_snapshots",
    "unified_output",
]
