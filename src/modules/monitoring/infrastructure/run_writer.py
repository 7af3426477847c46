"""Writes the outcomes of a run that may be killed and begun again: each text is in the store once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from src.modules.monitoring.domain.outcome import Batch, Outcome
from src.modules.monitoring.domain.ports import OutcomeSink
from src.modules.monitoring.infrastructure.background_writer import FIRST_WAIT, FLUSH_SECONDS, QUEUE
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.events.library_log import write

LONGEST_WAIT = 60.0
"""Seconds until a store that is away is tried again at most; a try may take `BUSY_SECONDS`."""


class RunWriter:
    """Stores batches before the run goes on; those that a store which is away does not take wait for it.

    Numbers of outcomes are the run's own: a batch that is given again, after the run was killed, changes nothing. Not
    for several threads. Nothing raises.
    """

    def __init__(
        self, sink: OutcomeSink, *, room: int = QUEUE, seconds: float = FLUSH_SECONDS, first_wait: float = FIRST_WAIT
    ) -> None:
        """Write nothing yet.

        Args:
            sink: the store, as one writer that is the same each time the run is begun.
            room: outcomes that may wait; further ones are dropped and counted.
            seconds: how long what still waits may hold up the end.
            first_wait: seconds until a store that is away is tried again; each further wait is twice as long.
        """
        self._sink, self._room, self._seconds, self._first_wait = sink, room, seconds, first_wait
        self._batches: deque[Batch] = deque()
        self._waiting = self.written = self.dropped = 0
        self._wait, self._again = first_wait, 0.0

    def keep(self, first: int, outcomes: Sequence[Outcome]) -> None:
        """Store outcomes, the first of them under this number, or have them wait."""
        self._batches.append(Batch(first, [*outcomes]))
        self._waiting += len(outcomes)
        if time.monotonic() >= self._again:
            self._write()
        while self._waiting > self._room:
            self._drop(self._batches.pop())

    def close(self) -> None:
        """Store what waits, for so long at most; what is not stored by then is dropped."""
        deadline = time.monotonic() + self._seconds
        self._write()
        while self._batches and time.monotonic() + self._first_wait < deadline:
            time.sleep(self._first_wait)
            self._write()
        while self._batches:
            self._drop(self._batches.pop())
        self._sink.close()

    def _write(self) -> None:
        while self._batches and self._is_stored(self._batches[0]):
            done = self._batches.popleft()
            self._waiting -= len(done.new)
            self.written += len(done.new)
            self._wait = self._first_wait

    def _is_stored(self, batch: Batch) -> bool:
        try:
            self._sink.write(batch, self.dropped)
        except Exception as error:  # noqa: BLE001 - whatever a store does, the run goes on
            self._again = time.monotonic() + self._wait
            if self._wait == self._first_wait:
                reason = error.message if isinstance(error, AppException) else type(error).__name__
                _tell("llm_store_unavailable", lambda: {"error": reason, "waiting": self._waiting})
            self._wait = min(self._wait * 2, LONGEST_WAIT)
            return False
        return True

    def _drop(self, batch: Batch) -> None:
        if not self.dropped:
            _tell("llm_store_dropped", lambda: {"dropped": self.dropped})
        self.dropped += len(batch.new)
        self._waiting -= len(batch.new)


def _tell(event: str, facts: Callable[[], dict[str, object]]) -> None:
    write("warning", event, facts)
