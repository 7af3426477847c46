"""How outcomes reach a store: by a thread, or before a run goes on.

A parse never waits for the store, and never fails with it.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from src.modules.monitoring.domain.outcome import Batch, Note, Outcome, OutcomeTracker
from src.modules.monitoring.domain.ports import OutcomeSink
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.events.library_log import write


def tell_of_end(close: Callable[[], None]) -> None:
    """Call a function when this process ends by itself; also where it is a child of `multiprocessing`."""
    atexit.register(close)
    if "multiprocessing" in sys.modules:  # its children skip `atexit`
        from multiprocessing.util import Finalize  # noqa: PLC0415 - see above

        Finalize(None, close, exitpriority=0)


QUEUE = 50_000
"""Notes that wait to be written, about 20 MB of them; further ones are dropped and counted."""
QUEUE_WITH_TEXT = 5_000
"""As above where texts are stored, of which each is up to 32 KB."""
BATCH = 2_000
"""Notes that are written in one transaction."""
INTERVAL = 0.5
"""Seconds that a note waits for others at most: what a killed process loses."""
FLUSH_SECONDS = 5.0
"""How long what is not written yet may hold up the end of a process."""
FIRST_WAIT = 0.25
"""Seconds until a batch that was not stored is tried again; each further wait is twice as long."""
LONGEST_WAIT = 8.0
LONGEST_RUN_WAIT = 60.0
"""The same for a run, whose tries may each take `BUSY_SECONDS`."""
GIVE_UP = 600.0
"""Seconds after which a batch that cannot be stored is dropped: it must not hold up the others for ever."""
LATE = 10.0
"""Seconds after which a batch that is neither stored nor refused counts as one that cannot be stored."""
FORK_WAIT = 1.0
"""Seconds that a fork waits for a batch that is being written."""


class BackgroundWriter:
    """A `NoteQueue` whose other end is a thread. The thread starts with the first note, in each process by itself.

    A process that forks shares no connection and no note with the child, which is a writer of its own.

    Attributes:
        dropped: notes that were lost: the queue was full, or the store was away for too long.
        written: notes that are in the store.
    """

    def __init__(self, open_sink: Callable[[], OutcomeSink], *, room: int = QUEUE, interval: float = INTERVAL) -> None:
        """Write nothing yet.

        Args:
            open_sink: called by the thread of each process that writes.
            room: notes that may wait.
            interval: seconds that a note waits for others at most.
        """
        self._open_sink, self._room, self._interval = open_sink, room, interval
        self._begin()
        _FORKING.add(self)

    def _begin(self) -> None:
        self._notes: deque[Note] = deque()
        self._there_are_notes, self._is_full, self._closing = threading.Event(), threading.Event(), threading.Event()
        self._counting, self._starting, self._storing = threading.Lock(), threading.Lock(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._sink: OutcomeSink | None = None
        self._tracker = OutcomeTracker()
        self._deadline, self._ends_known, self._holds_fork = 0.0, False, False
        self._told: set[str] = set()
        self.dropped = self.written = 0
        self._has_failed, self._since = False, float("inf")

    @property
    def waiting(self) -> int:
        """Notes in the queue."""
        return len(self._notes)

    @property
    def is_stuck(self) -> bool:
        """Whether notes wait that cannot be written: the store refuses them, does not answer, or there are too many."""
        return self._has_failed or len(self._notes) >= self._room or time.monotonic() - self._since > LATE

    def put(self, note: Note) -> None:
        """Keep a note until it is written."""
        length = len(self._notes)
        if length >= self._room:
            self._drop(1)
            return
        self._notes.append(note)
        if length + 1 == BATCH:
            self._is_full.set()
        if not self._there_are_notes.is_set():
            self._there_are_notes.set()
            if self._thread is None:
                self._start()

    def close(self, seconds: float = FLUSH_SECONDS) -> None:
        """Write what is left, for so long at most; what is not stored by then is dropped. Notes may come again."""
        thread = self._thread
        if thread is None:
            return
        self._deadline = time.monotonic() + seconds
        for wake in (self._closing, self._there_are_notes, self._is_full):
            wake.set()
        thread.join(seconds)
        if self._notes:
            self._drop(len(self._notes))
            self._notes.clear()
        self._thread = None
        self._closing.clear()
        self._there_are_notes.clear()

    def before_fork(self) -> None:
        """Wait until no batch is being written, and close the connection."""
        self._holds_fork = self._storing.acquire(timeout=FORK_WAIT)
        if self._holds_fork and self._sink:
            self._sink.close()

    def after_fork(self, *, in_child: bool) -> None:
        """Go on; in the child, from nothing."""
        if in_child:
            self._begin()
        elif self._holds_fork:
            self._storing.release()

    def _start(self) -> None:
        with self._starting:
            if self._thread is not None:
                return
            if not self._ends_known:
                self._ends_known = True
                tell_of_end(self.close)
            self._thread = threading.Thread(target=self._run, name="llm-output-store", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while self._notes or not self._closing.is_set():
            self._there_are_notes.wait()
            if not self._closing.is_set():
                self._is_full.wait(self._interval)
            self._is_full.clear()
            self._there_are_notes.clear()
            taken = [self._notes.popleft() for _ in range(min(len(self._notes), BATCH))]
            self._store(self._tracker.batch(taken), len(taken))
            self._go_on()
        with self._storing:
            if self._sink:
                self._sink.close()

    def _go_on(self) -> None:
        """Notes that have come meanwhile are not waited for."""
        if self._notes or self._closing.is_set():
            self._there_are_notes.set()
        if len(self._notes) >= BATCH:
            self._is_full.set()

    def _store(self, batch: Batch, count: int) -> None:
        """Store a batch: again and again where it has to be, and no longer than there is time."""
        wait, self._since = FIRST_WAIT, time.monotonic()
        while batch and not self._stored(batch):
            self._has_failed = True
            if self._closing.is_set():
                late = time.monotonic() + FIRST_WAIT > self._deadline
                time.sleep(0 if late else FIRST_WAIT)
            else:
                late = time.monotonic() - self._since > GIVE_UP
                self._closing.wait(wait)
                wait = min(wait * 2, LONGEST_WAIT)
            if late:
                self._drop(count)
                count = 0
                break
        self.written += count
        self._has_failed, self._since = False, float("inf")

    def _stored(self, batch: Batch) -> bool:
        try:
            with self._storing:
                if self._sink is None:
                    self._sink = self._open_sink()
                self._sink.write(batch, self.dropped)
        except Exception as error:  # noqa: BLE001 - whatever a store does, the thread goes on
            self._tell("llm_store_unavailable", error=_reason(error), waiting=len(self._notes))
            return False
        self._told.discard("llm_store_unavailable")
        return True

    def _drop(self, count: int) -> None:
        with self._counting:
            self.dropped += count
        self._tell("llm_store_dropped", dropped=self.dropped)

    def _tell(self, event: str, **facts: object) -> None:
        """Write a WARNING, the first time; of the store's absence, the first time in each."""
        if event not in self._told:
            self._told.add(event)
            write("warning", event, lambda: facts)


_FORKING: weakref.WeakSet[BackgroundWriter] = weakref.WeakSet()
"""Told of every fork of this process, and of its children's, as long as somebody holds them."""


def _before_fork() -> None:
    for writer in list(_FORKING):
        writer.before_fork()


def _after_fork(*, in_child: bool) -> None:
    for writer in list(_FORKING):
        writer.after_fork(in_child=in_child)


if hasattr(os, "register_at_fork"):  # pragma: no branch - Windows has no fork
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=partial(_after_fork, in_child=False),
        after_in_child=partial(_after_fork, in_child=True),
    )


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
                reason = _reason(error)
                write("warning", "llm_store_unavailable", lambda: {"error": reason, "waiting": self._waiting})
            self._wait = min(self._wait * 2, LONGEST_RUN_WAIT)
            return False
        return True

    def _drop(self, batch: Batch) -> None:
        if not self.dropped:
            write("warning", "llm_store_dropped", lambda: {"dropped": self.dropped})
        self.dropped += len(batch.new)
        self._waiting -= len(batch.new)


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, AppException) else type(error).__name__
