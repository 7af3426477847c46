"""The port to whoever follows the episodes, turn by turn."""

from __future__ import annotations

from typing import Protocol

from src.modules.visual_rag.domain.episode import Turn


class TurnsPort(Protocol):
    """A transcript, a progress line, a metric."""

    def add(self, turn: Turn) -> None:
        """Take note of a turn; called in the order in which turns are done.

        Raises:
            VisualRagConfigurationError: it cannot be written down.
        """
        ...
