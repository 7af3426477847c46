"""How outcomes reach a store: by a thread, which a parse never waits for and never fails with."""

from __future__ import annotations

import atexit
import json
import os
import socket
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from src.modules.monitoring.domain.rate import DAY, SECOND, Clock, Moment, now
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import POSTGRES, Store
from src.modules.monitoring.infrastructure.store.schema import ALARM_EVENT, DAMAGE, OUTCOME, REPAIR, WRITER
from src.shared.domain.caller import event_name
from src.shared.domain.exceptions import AppException
from src.shared.domain.outcome import TEXT_LIMIT, Outcome, OutcomeTracker, outcome_of
from src.shared.domain.ports.events import Event
from src.shared.infrastructure.events.library_log import write
from src.shared.infrastructure.files import replace_file

with needs_extra():
    from sqlalchemy import Connection, Table, delete, insert, select, tuple_, update

QUEUE = 50_000
"""Outcomes that wait to be written, about 20 MB of them; further ones are dropped and counted."""
QUEUE_WITH_TEXT = 5_000
"""As above where texts are stored, of which each is up to 32 KB."""
BATCH = 2_000
"""Outcomes that are written in one transaction."""
INTERVAL = 0.5
"""Seconds that an outcome waits for others at most: what a killed process loses."""
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
TIDY_SECONDS = 3_600
"""How often a writer removes what is older than the store keeps."""
TIDY_AT_ONCE = 2_000
"""Outcomes removed in one transaction, so that writers wait for no more than that."""
PARAMETERS = 30_000
"""Values in one statement: SQLite takes 32,766, Postgres 65,535."""
_SMALL = 32_767
_WRITER_FIELDS = {"id", "host", "pid", "started"}


class OutcomeWriter:
    """An `EventPort` whose other end is a thread, which writes to a store as one writer of it.

    The thread starts with the first outcome, in each process by itself. A process that forks shares no connection and
    no outcome with the child, which is a writer of its own. Publishing takes a microsecond or two, whatever the store
    does; `python -m benchmarks.watching` measures it.

    Attributes:
        dropped: outcomes that were lost: the queue was full, or the store was away for too long.
        written: outcomes, and what was heard of them later, that are in the store.
    """

    def __init__(
        self,
        store: Store,
        *,
        days: int = 0,
        with_text: bool = False,
        room: int | None = None,
        interval: float = INTERVAL,
        run_file: Path | None = None,
        clock: Clock = now,
    ) -> None:
        """Write nothing yet; the store's tables are made with the first batch where there are none.

        Args:
            store: where to.
            days: how long outcomes are kept; 0 keeps them for ever.
            with_text: whether the beginning of each text is kept.
            room: outcomes that may wait; None for `QUEUE`, or `QUEUE_WITH_TEXT`.
            interval: seconds that an outcome waits for others at most.
            run_file: remembers who writes, for a later process that goes on with the same run; its outcomes wait for
                a store that is away until the end.
            clock: says what time it is.
        """
        self._store, self._days, self._interval, self._clock = store, days, interval, clock
        self._text_limit = TEXT_LIMIT if with_text else 0
        self._room = room or (QUEUE_WITH_TEXT if with_text else QUEUE)
        self._run_file = run_file
        self.begin()
        _FORKING.add(self)

    def begin(self) -> None:
        """Start from nothing, as a child does after a fork."""
        self._queue: deque[Outcome] = deque()
        self._tracker = OutcomeTracker()
        self._has_work, self._hurry, self._closing = threading.Event(), threading.Event(), threading.Event()
        self._progress, self._storing = threading.Condition(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._row: dict[str, Any] = {}
        self._dropped_before = 0
        self._tidied: Moment | None = None
        self._deadline, self._ends_known, self._holds_fork = 0.0, False, False
        self._warned: set[str] = set()
        self.dropped = self.written = 0
        self._has_failed, self._since = False, float("inf")

    @property
    def waiting(self) -> int:
        """Outcomes in the queue."""
        return len(self._queue)

    @property
    def is_stuck(self) -> bool:
        """Whether outcomes wait that cannot be written: the store refuses them, does not answer, or has no room."""
        return self._has_failed or self.waiting >= self._room or time.monotonic() - self._since > LATE

    def publish(self, event: Event) -> None:
        """Keep what an event says of a text until it is written; where there is no room it is dropped and counted."""
        if outcome := outcome_of(event, self._clock(), self._text_limit):
            self._put(outcome)

    def keep(self, first: int, outcomes: Sequence[Outcome]) -> None:
        """Store outcomes, the first of them under this number, before a run goes on; or have them wait.

        Numbers are the run's own: what is given again, after the run was killed, changes nothing.
        """
        for number, outcome in enumerate(outcomes, first):
            outcome.number = number
            self._put(outcome)
        self._hurry.set()
        with self._progress:
            self._progress.wait_for(
                lambda: self.is_stuck or not (self._queue or self._since != float("inf")), timeout=LATE
            )

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Store outcomes of this writer by their numbers, in one transaction; the same ones again change nothing.

        Raises:
            StoreError: they are not stored; they may be given again.
        """
        while not self._is_written(outcomes):
            self._register()
        at = self._clock()
        if self._days and (self._tidied is None or at - self._tidied >= TIDY_SECONDS * SECOND):
            self._tidied = at
            prune(self._store, at - self._days * DAY)

    def close(self, seconds: float = FLUSH_SECONDS) -> None:
        """Write what is left, for so long at most; what is not stored by then is dropped. More may come again."""
        if thread := self._thread:
            self._deadline = time.monotonic() + seconds
            for event in (self._closing, self._hurry, self._has_work):
                event.set()
            thread.join(seconds)
            if self._queue:
                self._drop(len(self._queue))
                self._queue.clear()
            self._thread = None
            for event in (self._closing, self._hurry, self._has_work):
                event.clear()
        self._store.close()

    def before_fork(self) -> None:
        """Wait until no batch is being written, and close the connection."""
        self._holds_fork = self._storing.acquire(timeout=FORK_WAIT)
        if self._holds_fork:
            self._store.close()

    def after_fork(self) -> None:
        """Go on, in the parent."""
        if self._holds_fork:
            self._storing.release()

    def _put(self, outcome: Outcome) -> None:
        length = len(self._queue)
        if length >= self._room:
            self._drop(1)
            return
        self._queue.append(outcome)
        if length + 1 == BATCH:
            self._hurry.set()
        if not self._has_work.is_set():
            self._has_work.set()
            if self._thread is None:
                self._start()

    def _start(self) -> None:
        with self._progress:
            if self._thread is not None:
                return
            if not self._ends_known:
                self._ends_known = True
                atexit.register(self.close)
                if "multiprocessing" in sys.modules:  # its children skip `atexit`
                    from multiprocessing.util import Finalize  # noqa: PLC0415 - see above

                    Finalize(None, self.close, exitpriority=0)
            self._thread = threading.Thread(target=self._run, name="llm-output-store", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """Write what there is, every so often: what has come meanwhile waits for the next time."""
        is_over = False
        while not is_over and self._thread is threading.current_thread():  # else it hung, and was given up
            self._has_work.wait()
            self._hurry.wait(self._interval)
            self._has_work.clear()
            self._hurry.clear()
            is_over = self._closing.is_set()
            for _ in range(0, len(self._queue), BATCH):
                self._store_batch()

    def _store_batch(self) -> None:
        """Store a batch: again and again where it has to be, and no longer than there is time."""
        wait, self._since = FIRST_WAIT, time.monotonic()
        heard = [self._queue.popleft() for _ in range(min(len(self._queue), BATCH))]
        counted = (one if one.number else self._tracker.take(one) for one in heard)
        outcomes = list({one.number: one for one in counted if one}.values())
        give_up = float("inf") if self._run_file else GIVE_UP
        while outcomes and not self._is_stored(outcomes):
            is_closing = self._closing.is_set()
            if time.monotonic() + FIRST_WAIT > (self._deadline if is_closing else self._since + give_up):
                self._drop(len(heard))
                heard = []
                break
            if is_closing:
                time.sleep(FIRST_WAIT)
            else:
                self._closing.wait(wait)
                wait = min(wait * 2, LONGEST_WAIT)
        with self._progress:
            self.written += len(heard)
            self._has_failed, self._since = False, float("inf")
            self._progress.notify_all()

    def _is_stored(self, outcomes: Sequence[Outcome]) -> bool:
        try:
            with self._storing:
                self.write(outcomes)
        except Exception as error:  # noqa: BLE001 - whatever a store does, the thread goes on
            reason = error.message if isinstance(error, AppException) else type(error).__name__
            self._warn_once("llm_store_unavailable", error=reason, waiting=self.waiting)
            with self._progress:
                self._has_failed = True
                self._progress.notify_all()
            return False
        self._warned.discard("llm_store_unavailable")
        return True

    def _drop(self, count: int) -> None:
        with self._progress:
            self.dropped += count
        self._warn_once("llm_store_dropped", dropped=self.dropped)

    def _warn_once(self, event: str, **facts: object) -> None:
        """Write a WARNING, the first time; of the store's absence, the first time in each."""
        if event not in self._warned:
            self._warned.add(event)
            write("warning", event, lambda: facts)

    def _is_written(self, outcomes: Sequence[Outcome]) -> bool:
        """Write in one transaction; nothing where the connection is not known to be to this writer's store."""
        with self._store.writing() as connection:
            writer = self._row.get("id")
            if writer is None or connection.info.get("writer") != writer:
                return False
            rows = [_row(writer, one) for one in outcomes]
            kinds = [(writer, one.number, kind, count) for one in outcomes for kind, count in one.kinds.items()]
            damage = [(writer, one.number, _plain(reason)) for one in outcomes for reason in one.damage]
            _insert(connection, OUTCOME, rows, _CHANGE)
            _insert(connection, REPAIR, kinds)
            _insert(connection, DAMAGE, damage)
            if self.dropped:
                dropped = self._dropped_before + self.dropped
                connection.execute(update(WRITER).where(WRITER.c.id == writer).values(dropped=dropped))
        return True

    def _register(self) -> None:
        """Be a writer of the store: the one that this process or an earlier one of its run was, or a new one."""
        schema.create(self._store)
        row = self._row or self._remembered()
        mine = (WRITER.c[name] == value for name, value in row.items())
        with self._store.writing() as connection:
            dropped = connection.execute(select(WRITER.c.dropped).where(*mine)).scalar() if row else None
            if dropped is None:
                row = {"host": _plain(socket.gethostname()), "pid": os.getpid(), "started": self._clock()}
                added = insert(WRITER).values(**row, dropped=0).returning(WRITER.c.id)
                row["id"] = connection.execute(added).scalar_one()
            if row != self._row:
                self._dropped_before = dropped or 0
            connection.info["writer"] = row["id"]
        if self._run_file:
            replace_file(self._run_file, json.dumps(row).encode())
        self._row = row

    def _remembered(self) -> dict[str, Any]:
        """The writer that the run's file names; empty where there is none, or the file is not ours."""
        try:
            row = json.loads(self._run_file.read_bytes()) if self._run_file else {}
        except (OSError, ValueError):
            return {}
        return row if isinstance(row, dict) and set(row) == _WRITER_FIELDS else {}


def prune(store: Store, before: Moment) -> None:
    """Remove outcomes, and what was told of alarms, from before a moment; how alarms stand is kept.

    Raises:
        StoreError: the store cannot be written; what was removed before stays removed.
    """
    key = (OUTCOME.c.writer, OUTCOME.c.number)
    oldest = select(*key).where(OUTCOME.c.at < before).order_by(OUTCOME.c.at).limit(TIDY_AT_ONCE)
    count = TIDY_AT_ONCE
    while count == TIDY_AT_ONCE:
        with store.writing() as connection:
            count = connection.execute(delete(OUTCOME).where(tuple_(*key).in_(oldest))).rowcount
    with store.writing() as connection:
        connection.execute(delete(ALARM_EVENT).where(ALARM_EVENT.c.at < before))


_CHANGE = "(writer, number) DO UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in ("outcome", "stage", "asked", "repair_code")
)
"""What later becomes known of an outcome that is there already."""


def _insert(connection: Connection, table: Table, rows: list[tuple[Any, ...]], conflict: str = "DO NOTHING") -> None:
    """Insert rows; of those that are there already, from a try whose end was not heard of, only what changed.

    One statement for many rows: a driver lets other threads run before each statement, and beside a thread that parses
    each of them costs this one a switch interval of 5 ms.
    """
    columns, mark = [column.name for column in table.columns], "%s" if connection.dialect.name == POSTGRES else "?"
    at_once = PARAMETERS // len(columns)
    one = f"({', '.join([mark] * len(columns))})"
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        values = ", ".join([one] * len(part))
        statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES {values} ON CONFLICT {conflict}"  # noqa: S608 - our names
        connection.exec_driver_sql(statement, tuple(chain.from_iterable(part)))


def _row(writer: int, one: Outcome) -> tuple[Any, ...]:
    """In the order of the table's columns."""
    return (
        writer,
        one.number,
        one.at,
        _plain(one.agent),
        _plain(one.model),
        one.outcome.value,
        _plain(one.prompt_id),
        min(one.attempt, _SMALL),
        _plain(one.stage),
        one.asked,
        _plain(one.repair_code),
        one.length,
        one.text if one.text is None else _storable(one.text),
    )


@lru_cache(maxsize=4_096)
def _plain(name: str) -> str:
    """A name as a column takes it."""
    return _storable(event_name(name))


def _storable(text: str) -> str:
    """A text as every store takes it: Postgres has no NUL, and neither has lone surrogates."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")


_FORKING: weakref.WeakSet[OutcomeWriter] = weakref.WeakSet()
"""Told of every fork of this process, and of its children's, as long as somebody holds them."""


def _each(method: Callable[[OutcomeWriter], None]) -> None:
    for writer in list(_FORKING):
        method(writer)


if hasattr(os, "register_at_fork"):  # pragma: no branch - Windows has no fork
    os.register_at_fork(
        before=partial(_each, OutcomeWriter.before_fork),
        after_in_parent=partial(_each, OutcomeWriter.after_fork),
        after_in_child=partial(_each, OutcomeWriter.begin),
    )
