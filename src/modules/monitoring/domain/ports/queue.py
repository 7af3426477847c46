"""The port that takes notes to be written later."""

from __future__ import annotations

from typing import Protocol

from src.modules.monitoring.domain.note import Note


class NoteQueue(Protocol):
    """Takes notes without ever waiting. An adapter never raises."""

    def put(self, note: Note) -> None:
        """Keep a note until it is written; where there is no room left it is dropped and counted."""
        ...
