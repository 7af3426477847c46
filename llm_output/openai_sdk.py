"""Answers of the OpenAI SDK, under a short name; needs the extra `openai`."""

from __future__ import annotations

from src.integrations.openai_sdk import ModelRefusalError, parse_completion, parse_tool_calls, stream_completion

__all__ = [
    "ModelRefusalError",
    "parse_completion",
    "parse_tool_calls",
    "stream_completion",
]
