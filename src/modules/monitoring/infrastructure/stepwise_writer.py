"""Writes notes when it is told to: for outcomes of a past that somebody makes up, or brings along."""

from __future__ import annotations

from src.modules.monitoring.domain.note import Note
from src.modules.monitoring.domain.ports.store import OutcomeSink
from src.modules.monitoring.domain.tracker import OutcomeTracker


class StepwiseWriter:
    """A `NoteQueue` that is written at once when `flush` is called; what the store refuses is raised there."""

    def __init__(self, sink: OutcomeSink) -> None:
        self._sink, self._tracker = sink, OutcomeTracker()
        self._notes: list[Note] = []

    def put(self, note: Note) -> None:
        """Keep a note."""
        self._notes.append(note)

    def flush(self) -> None:
        """Write the notes.

        Raises:
            StoreError: they are not stored.
        """
        notes, self._notes = self._notes, []
        self._sink.write(self._tracker.batch(notes), 0)

    def close(self) -> None:
        """Let go of the store."""
        self._sink.close()
