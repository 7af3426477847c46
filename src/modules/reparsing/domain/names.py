"""Names that rows bring along: how many are counted, and how they are kept."""

from __future__ import annotations

from typing import Any

MOST_NAMES = 200
"""Most agents, models, reasons or paths that are counted by name; those that come later count together."""
OTHERS = "…"
"""The name under which they do."""


def known(name: str, names: dict[str, Any]) -> str:
    """The name under which something is counted: its own, as long as there are not too many."""
    return name if name in names or len(names) < MOST_NAMES else OTHERS


def well_formed(text: str) -> str:
    """A text that can be written as UTF-8: half of a surrogate pair is told as its escape."""
    return text if text.isascii() else text.encode("utf-8", errors="backslashreplace").decode("utf-8")
