"""Writing outcomes: one writer of a process, a batch a transaction."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from src.modules.monitoring.domain.outcome import Batch, Outcome
from src.modules.monitoring.domain.rate import DAY, SECOND, Clock, Moment, now
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import POSTGRES, Store
from src.modules.monitoring.infrastructure.store.schema import ALARM_EVENT, DAMAGE, OUTCOME, REPAIR, WRITER
from src.shared.domain.caller import event_name
from src.shared.infrastructure.files import replace_file

with needs_extra():
    from sqlalchemy import Connection, Table, bindparam, delete, insert, select, tuple_, update


AT_ONCE = 2_000
"""Outcomes removed in one transaction, so that writers wait for no more than that."""


def prune(store: Store, before: Moment) -> int:
    """Remove outcomes, and what was told of alarms, from before a moment; how alarms stand is kept.

    Returns:
        How many outcomes.

    Raises:
        StoreError: the store cannot be written; what was removed before stays removed.
    """
    key = (OUTCOME.c.writer, OUTCOME.c.number)
    oldest = select(*key).where(OUTCOME.c.at < before).order_by(OUTCOME.c.at).limit(AT_ONCE)
    removed = 0
    while True:
        with store.writing() as connection:
            count = connection.execute(delete(OUTCOME).where(tuple_(*key).in_(oldest))).rowcount
            removed += count
            if count < AT_ONCE:
                connection.execute(delete(ALARM_EVENT).where(ALARM_EVENT.c.at < before))
                return removed


@dataclass(frozen=True, slots=True)
class WriterRow:
    """A writer as the store knows it; together the fields are one writer's of all stores.

    Attributes:
        id: its number in the store.
        host: the machine it began on.
        pid: the process it began in.
        started: when it began.
    """

    id: int
    host: str
    pid: int
    started: Moment


class WriterFile:
    """Remembers a writer in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def recall(self) -> WriterRow | None:
        """The writer that was remembered; None where there is none, or the file is not ours."""
        try:
            return WriterRow(**json.loads(self._file.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def remember(self, row: WriterRow) -> None:
        """Remember a writer; the file is there whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        replace_file(self._file, json.dumps(asdict(row)).encode())


TIDY_SECONDS = 3_600
"""How often a writer removes what is older than the store keeps."""

PARAMETERS = 30_000
"""Values in one statement: SQLite takes 32,766, Postgres 65,535."""

Row: TypeAlias = tuple[Any, ...]


class OutcomeWriter:
    """An `OutcomeSink` of one process: it has a number of its own in the store, and numbers its outcomes."""

    def __init__(self, store: Store, *, days: int = 0, clock: Clock = now, file: WriterFile | None = None) -> None:
        """Write to a store, whose tables are made with the first batch where there are none.

        Args:
            store: where to.
            days: how long outcomes are kept; 0 keeps them for ever.
            clock: says what time it is.
            file: remembers the number for a later process, where that is to go on as the same writer.
        """
        self._store, self._days, self._clock, self._file = store, days, clock, file
        self._id: int | None = None
        self._dropped_before, self._files = 0, 0
        self._tidied: Moment | None = None
        self._started = clock()

    def write(self, batch: Batch, dropped: int) -> None:
        """Store a batch; see `OutcomeSink.write`."""
        self._store.leave_deleted()
        if self._id is None or self._files != self._store.files:
            schema.create(self._store)
            self._id, self._files = self._recalled() or self._register(), self._store.files
        known = [*_numbered(batch), *batch.changed.items()]
        with self._store.writing() as connection:
            _insert(connection, OUTCOME, _outcomes(self._id, known))  # an earlier one may be gone with its file
            if batch.changed:
                connection.execute(_CHANGE, [_change(self._id, *each) for each in batch.changed.items()])
            _insert(connection, REPAIR, _repairs(self._id, known))
            _insert(connection, DAMAGE, _damage(self._id, known))
            if dropped:
                connection.execute(
                    update(WRITER).where(WRITER.c.id == self._id).values(dropped=self._dropped_before + dropped)
                )
        self._tidy()

    def close(self) -> None:
        """Close the connection; the next batch opens another."""
        self._store.close()

    def _recalled(self) -> int | None:
        """The number that an earlier process had; None where there was none, or not in this store."""
        known = self._file.recall() if self._file else None
        if known is None:
            return None
        mine = (WRITER.c[name] == value for name, value in asdict(known).items())
        with self._store.reading() as connection:
            found = connection.execute(select(WRITER.c.dropped).where(*mine)).scalar()
        self._dropped_before = int(found or 0)
        return None if found is None else known.id

    def _register(self) -> int:
        host, pid = _plain(socket.gethostname()), os.getpid()
        row = {"host": host, "pid": pid, "started": self._started, "dropped": 0}
        with self._store.writing() as connection:
            (number,) = connection.execute(insert(WRITER).values(row)).inserted_primary_key or (0,)
        if self._file:
            self._file.remember(WriterRow(int(number), host, pid, self._started))
        return int(number)

    def _tidy(self) -> None:
        at = self._clock()
        if self._days and (self._tidied is None or at - self._tidied >= TIDY_SECONDS * SECOND):
            self._tidied = at
            prune(self._store, at - self._days * DAY)


def _insert(connection: Connection, table: Table, rows: list[Row]) -> None:
    """Insert rows; those that are there already, from a try whose end was not heard of, stay as they are.

    One statement for many rows: a driver lets other threads run before each statement, and beside a thread that parses
    each of them costs this one a switch interval of 5 ms.
    """
    columns, mark = [column.name for column in table.columns], "%s" if connection.dialect.name == POSTGRES else "?"
    at_once = PARAMETERS // len(columns)
    one = f"({', '.join([mark] * len(columns))})"
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        values = ", ".join([one] * len(part))
        statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES {values} ON CONFLICT DO NOTHING"  # noqa: S608 - our names
        connection.exec_driver_sql(statement, tuple(chain.from_iterable(part)))


_CHANGE = (
    update(OUTCOME)
    .where(OUTCOME.c.writer == bindparam("of_writer"), OUTCOME.c.number == bindparam("of_number"))
    .values(outcome=bindparam("ended"), stage=bindparam("refused_by"), asked=bindparam("was_asked"))
    .values(repair_code=bindparam("code"))
)


def _change(writer: int, number: int, outcome: Outcome) -> dict[str, Any]:
    return {
        "of_writer": writer,
        "of_number": number,
        "ended": outcome.outcome.value,
        "refused_by": outcome.stage,
        "was_asked": outcome.asked,
        "code": _plain(outcome.repair_code),
    }


def _numbered(batch: Batch) -> Iterable[tuple[int, Outcome]]:
    return enumerate(batch.new, batch.first)


def _outcomes(writer: int, outcomes: Iterable[tuple[int, Outcome]]) -> list[Row]:
    """In the order of the table's columns."""
    return [
        (
            writer,
            number,
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
        for number, one in outcomes
    ]


def _repairs(writer: int, outcomes: Iterable[tuple[int, Outcome]]) -> list[Row]:
    return [(writer, number, kind, count) for number, one in outcomes for kind, count in one.kinds.items()]


def _damage(writer: int, outcomes: Iterable[tuple[int, Outcome]]) -> list[Row]:
    return [(writer, number, _plain(reason)) for number, one in outcomes for reason in one.damage]


_SMALL = 32_767


@lru_cache(maxsize=4_096)
def _plain(name: str) -> str:
    """A name as a column takes it."""
    return _storable(event_name(name))


def _storable(text: str) -> str:
    """A text as every store takes it: Postgres has no NUL, and neither has lone surrogates."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
