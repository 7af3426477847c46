"""Record outcomes: the stream of events, as the store keeps it."""

from __future__ import annotations

from src.modules.monitoring.domain.outcome import ParseNote, RepairNote
from src.modules.monitoring.domain.ports import NoteQueue
from src.modules.monitoring.domain.window import Clock, now
from src.shared.domain.ports.events import Event, OutputParsed, RepairAsked, RepairAttempted


class RecordOutcomes:
    """An `EventPort` that notes each parse and each repair, and leaves the rest to the queue's other end.

    Publishing takes a microsecond or two, whatever the store does; `python -m benchmarks.watching` measures it.
    """

    def __init__(self, queue: NoteQueue, *, with_text: bool = False, clock: Clock = now) -> None:
        """Note what is published from now on.

        Args:
            queue: takes the notes.
            with_text: whether the beginning of each text is noted.
            clock: says what time it is.
        """
        self._put, self._with_text, self._clock = queue.put, with_text, clock

    def publish(self, event: Event) -> None:
        """Note a parse, a question of the repair agent's, or what came of it; no other event is an outcome's."""
        if isinstance(event, OutputParsed):
            self._put(ParseNote.of(self._clock(), event, with_text=self._with_text))
        elif isinstance(event, RepairAsked | RepairAttempted):
            self._put(RepairNote(self._clock(), event))
