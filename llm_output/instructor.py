"""The client of instructor, under a short name; needs the extra `instructor`."""

from __future__ import annotations

from src.integrations.instructor import MODES, from_openai

__all__ = [
    "MODES",
    "from_openai",
]
