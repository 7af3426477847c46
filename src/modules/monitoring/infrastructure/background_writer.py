"""A thread that writes what the parse leaves behind: a parse never waits for the store, and never fails with it."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from src.modules.monitoring.domain.outcome import Batch, Note
from src.modules.monitoring.domain.ports import OutcomeSink
from src.modules.monitoring.domain.tracker import OutcomeTracker
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.events.library_log import write


class Forking(Protocol):
    """What is told when its process forks."""

    def before_fork(self) -> None:
        """The process is about to fork: nothing may be open that the child would share."""
        ...

    def after_fork(self, *, in_child: bool) -> None:
        """It has forked."""
        ...


_FORKING: weakref.WeakSet[Any] = weakref.WeakSet()


def tell_of_forks(one: Forking) -> None:
    """Tell an object of every fork of this process, and of its children's, as long as somebody holds it."""
    _FORKING.add(one)


def tell_of_end(close: Callable[[], None]) -> None:
    """Call a function when this process ends by itself; also where it is a child of `multiprocessing`."""
    atexit.register(close)
    if "multiprocessing" in sys.modules:  # its children skip `atexit`
        from multiprocessing.util import Finalize  # noqa: PLC0415 - see above

        Finalize(None, close, exitpriority=0)


def _before() -> None:
    for one in list(_FORKING):
        one.before_fork()


def _in_parent() -> None:
    for one in list(_FORKING):
        one.after_fork(in_child=False)


def _in_child() -> None:
    for one in list(_FORKING):
        one.after_fork(in_child=True)


if hasattr(os, "register_at_fork"):  # pragma: no branch - Windows has no fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)


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
GIVE_UP = 600.0
"""Seconds after which a batch that cannot be stored is dropped: it must not hold up the others for ever."""
LATE = 10.0
"""Seconds after which a batch that is neither stored nor refused counts as one that cannot be stored."""
FORK_WAIT = 1.0
"""Seconds that a fork waits for a batch that is being written."""


class BackgroundWriter:
    """A `NoteQueue` whose other end is a thread. The thread starts with the first note, in each process by itself.

    A process that forks shares no connection and no note with the child, which is a writer of its own.
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
        tell_of_forks(self)

    def _begin(self) -> None:
        self._notes: deque[Note] = deque()
        self._there_are_notes, self._is_full, self._closing = threading.Event(), threading.Event(), threading.Event()
        self._counting, self._starting, self._storing = threading.Lock(), threading.Lock(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._sink: OutcomeSink | None = None
        self._tracker = OutcomeTracker()
        self._deadline, self._ends_known, self._holds_fork = 0.0, False, False
        self._told: set[str] = set()
        self._dropped = self._written = 0
        self._has_failed, self._since = False, float("inf")

    @property
    def dropped(self) -> int:
        """Notes that were lost: the queue was full, or the store was away for too long."""
        return self._dropped

    @property
    def written(self) -> int:
        """Notes that are in the store."""
        return self._written

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
        self._written += count
        self._has_failed, self._since = False, float("inf")

    def _stored(self, batch: Batch) -> bool:
        try:
            with self._storing:
                if self._sink is None:
                    self._sink = self._open_sink()
                self._sink.write(batch, self._dropped)
        except Exception as error:  # noqa: BLE001 - whatever a store does, the thread goes on
            reason = error.message if isinstance(error, AppException) else type(error).__name__
            self._tell("llm_store_unavailable", error=reason, waiting=len(self._notes))
            return False
        self._told.discard("llm_store_unavailable")
        return True

    def _drop(self, count: int) -> None:
        with self._counting:
            self._dropped += count
        self._tell("llm_store_dropped", dropped=self._dropped)

    def _tell(self, event: str, **facts: object) -> None:
        """Write a WARNING, the first time; of the store's absence, the first time in each."""
        if event not in self._told:
            self._told.add(event)
            write("warning", event, lambda: facts)


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
